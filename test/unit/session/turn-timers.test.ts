import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TurnTimers, type TurnTimeouts } from '../../../src/session/turn-timers.ts';

const none: TurnTimeouts = { promptTimeoutMs: 0, promptIdleTimeoutMs: 0, cancelTimeoutMs: 0 };

function createTimers(timeouts: Partial<TurnTimeouts>) {
  const calls: unknown[] = [];
  const timers = new TurnTimers(
    { ...none, ...timeouts },
    {
      onExpired: (what, timeoutMs) => calls.push([what, timeoutMs]),
      onCancelIgnored: () => calls.push('cancel ignored'),
    },
  );
  return { timers, calls };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('without limits there is no timer', () => {
  const { timers } = createTimers({ promptTimeoutMs: Infinity, promptIdleTimeoutMs: Infinity });
  timers.start();
  timers.hold('client', true);
  timers.hold('client', false);
  timers.activity();
  expect(vi.getTimerCount()).toBe(0);
  timers.cancelSent();
  expect(vi.getTimerCount()).toBe(0);
});

test('B59 the whole length counts, whatever happens', () => {
  const { timers, calls } = createTimers({ promptTimeoutMs: 1_000 });
  timers.start();
  for (let elapsed = 0; elapsed < 900; elapsed += 100) {
    vi.advanceTimersByTime(100);
    timers.activity();
  }
  timers.hold('client', true);
  expect(calls).toEqual([]);
  vi.advanceTimersByTime(100);
  expect(calls).toEqual([['did not end', 1_000]]);
});

test('B59 silence counts from the last activity', () => {
  const { timers, calls } = createTimers({ promptIdleTimeoutMs: 1_000 });
  timers.start();
  vi.advanceTimersByTime(999);
  timers.activity();
  vi.advanceTimersByTime(999);
  expect(calls).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(calls).toEqual([['brought no update', 1_000]]);
});

test('only the first limit that passes is told', () => {
  const { timers, calls } = createTimers({ promptTimeoutMs: 1_000, promptIdleTimeoutMs: 1_000 });
  timers.start();
  vi.advanceTimersByTime(10_000);
  expect(calls).toHaveLength(1);
});

describe('B59 a hold', () => {
  test('stops the clock of silence, and a new one runs when the last reason is gone', () => {
    const { timers, calls } = createTimers({ promptIdleTimeoutMs: 1_000 });
    timers.start();
    vi.advanceTimersByTime(900);
    timers.hold('client', true);
    timers.hold('client', true);
    timers.hold('tool-call', true);
    vi.advanceTimersByTime(10_000);
    timers.activity();
    timers.hold('client', false);
    vi.advanceTimersByTime(10_000);
    timers.hold('tool-call', false);
    vi.advanceTimersByTime(999);
    expect(calls).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(calls).toHaveLength(1);
  });

  test('that began before the turn holds as well', () => {
    const { timers, calls } = createTimers({ promptIdleTimeoutMs: 1_000 });
    timers.hold('handler', true);
    timers.start();
    vi.advanceTimersByTime(10_000);
    expect(calls).toEqual([]);
    timers.hold('handler', false);
    vi.advanceTimersByTime(1_000);
    expect(calls).toHaveLength(1);
  });

  test('that ends after the turn starts no clock', () => {
    const { timers, calls } = createTimers({ promptIdleTimeoutMs: 1_000 });
    timers.start();
    timers.hold('client', true);
    timers.stop();
    timers.hold('client', false);
    vi.advanceTimersByTime(10_000);
    expect(calls).toEqual([]);
  });

  test('does not run on after a cancel', () => {
    const { timers, calls } = createTimers({ promptIdleTimeoutMs: 1_000, cancelTimeoutMs: 5_000 });
    timers.start();
    timers.hold('client', true);
    timers.cancelSent();
    timers.hold('client', false);
    vi.advanceTimersByTime(10_000);
    expect(calls).toEqual(['cancel ignored']);
  });
});

describe('a cancel', () => {
  test('B37 ends the other clocks, and is told when it was ignored', () => {
    const { timers, calls } = createTimers({
      promptTimeoutMs: 1_000,
      promptIdleTimeoutMs: 1_000,
      cancelTimeoutMs: 3_000,
    });
    timers.start();
    timers.cancelSent();
    vi.advanceTimersByTime(2_999);
    timers.activity();
    expect(calls).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(calls).toEqual(['cancel ignored']);
  });

  test('that is answered is not told', () => {
    const { timers, calls } = createTimers({ cancelTimeoutMs: 3_000 });
    timers.start();
    timers.cancelSent();
    timers.stop();
    vi.advanceTimersByTime(10_000);
    expect(calls).toEqual([]);
  });
});

test('a limit beyond what a timer can hold does not pass at once', () => {
  const { timers, calls } = createTimers({ promptTimeoutMs: 2 ** 40 });
  timers.start();
  vi.advanceTimersByTime(60_000);
  expect(calls).toEqual([]);
  timers.stop();
});
