import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TurnUpdates } from '../../../src/session/turn-updates.ts';
import { microtasks, textUpdate } from './fake-turn-port.ts';

function createUpdates(endIsAwaited = () => false) {
  const calls: string[] = [];
  const updates = new TurnUpdates(
    { softBytes: 100, hardBytes: 400 },
    {
      pause: () => calls.push('pause'),
      resume: () => calls.push('resume'),
      overflow: () => calls.push('overflow'),
      stalled: () => calls.push('stalled'),
      left: () => {
        calls.push('left');
        return Promise.resolve();
      },
      endIsAwaited: () => endIsAwaited(),
    },
  );
  const add = (text: string, size = 1) => updates.add(textUpdate(text), size);
  return { updates, calls, add };
}

const textOf = (result: IteratorResult<SessionUpdate, undefined>) =>
  result.done === true ? 'done' : (result.value as { content: { text: string } }).content.text;

const next = async (iterator: AsyncIterator<SessionUpdate, undefined>) => textOf(await iterator.next());

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('iteration', () => {
  test('begins with what came before it', async () => {
    const { updates, add } = createUpdates();
    add('a');
    const iterator = updates.iterate();
    add('b');
    updates.end({});
    expect([await next(iterator), await next(iterator), await next(iterator)]).toEqual(['a', 'b', 'done']);
    expect(await next(iterator)).toBe('done');
  });

  test('serves several calls of next at once, each with its own update, in order', async () => {
    const { updates, add } = createUpdates();
    const iterator = updates.iterate();
    const results = Promise.all([next(iterator), next(iterator), next(iterator), next(iterator)]);
    add('a');
    await microtasks();
    add('b');
    add('c');
    await microtasks();
    updates.end({});
    expect(await results).toEqual(['a', 'b', 'c', 'done']);
  });

  test('ends with the error, after everything that came before it', async () => {
    const { updates, add } = createUpdates();
    const iterator = updates.iterate();
    add('a');
    updates.end({ error: new Error('broken') });
    expect(await next(iterator)).toBe('a');
    await expect(iterator.next()).rejects.toThrow('broken');
  });

  test('is possible once', () => {
    const { updates } = createUpdates();
    updates.iterate();
    expect(() => updates.iterate()).toThrow(expect.objectContaining({ code: 'turn-consumed' }));
  });

  test('that is left drops what is there and tells it', async () => {
    const { updates, calls, add } = createUpdates();
    const iterator = updates.iterate();
    add('a', 150);
    add('b', 1);
    expect(calls).toEqual(['pause']);
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
    expect(calls).toEqual(['pause', 'resume', 'left']);
    add('c', 1_000);
    expect(calls).toHaveLength(3);
  });
});

describe('without an iterator', () => {
  test('whoever wants the result buffers nothing', () => {
    const { updates, calls, add } = createUpdates();
    updates.resultWanted();
    for (let index = 0; index < 1_000; index += 1) add('x', 1_000);
    expect(calls).toEqual([]);
    expect(() => updates.iterate()).toThrow(expect.objectContaining({ code: 'turn-consumed' }));
  });

  test('a result that is read before the first update does not stand in the way of an iteration', async () => {
    const { updates, add } = createUpdates();
    updates.resultWanted();
    const iterator = updates.iterate();
    add('a');
    updates.end({});
    expect([await next(iterator), await next(iterator)]).toEqual(['a', 'done']);
  });

  test('a result that is read later drops what was kept', () => {
    const { updates, calls, add } = createUpdates();
    add('a', 60);
    updates.resultWanted();
    for (let index = 0; index < 1_000; index += 1) add('x', 60);
    expect(calls).toEqual([]);
    expect(() => updates.iterate()).toThrow(/not kept/);
  });

  test('updates are kept up to the limit and then no more, and the agent is not held back', () => {
    const { updates, calls, add } = createUpdates();
    add('a', 100);
    add('b', 1);
    add('c', 1_000);
    expect(calls).not.toContain('pause');
    expect(calls).not.toContain('overflow');
    expect(() => updates.iterate()).toThrow(/not kept/);
  });
});

describe('an iterator that stands still', () => {
  test('holds the agent back, and lets it go on when it moves', async () => {
    const { updates, calls, add } = createUpdates();
    const iterator = updates.iterate();
    add('a', 60);
    add('b', 60);
    expect(calls).toEqual(['pause']);
    await iterator.next();
    expect(calls).toEqual(['pause']);
    await iterator.next();
    expect(calls).toEqual(['pause', 'resume']);
  });

  test('is told of at the largest limit', () => {
    const { updates, calls, add } = createUpdates();
    updates.iterate();
    add('a', 250);
    vi.advanceTimersByTime(60_000);
    expect(calls).toEqual(['pause', 'stalled']);
    updates.end({});
  });

  test('is told of again when it has moved and stands still once more', async () => {
    const { updates, calls, add } = createUpdates();
    const iterator = updates.iterate();
    add('a', 1);
    add('b', 250);
    vi.advanceTimersByTime(60_000);
    await iterator.next();
    vi.advanceTimersByTime(60_000);
    expect(calls).toEqual(['pause', 'stalled', 'stalled']);
    updates.end({});
  });

  test('overflows also where somebody begins to wait for the result after it was told of', () => {
    const { updates, calls, add } = createUpdates();
    updates.iterate();
    add('a', 250);
    vi.advanceTimersByTime(60_000);
    updates.resultWanted();
    vi.advanceTimersByTime(1_000);
    expect(calls).toEqual(['pause', 'stalled', 'resume', 'overflow']);
  });

  test('overflows where something else waits for the end of the turn, from then on', () => {
    let isAwaited = false;
    const { updates, calls, add } = createUpdates(() => isAwaited);
    updates.iterate();
    add('a', 250);
    vi.advanceTimersByTime(60_000);
    isAwaited = true;
    vi.advanceTimersByTime(1_000);
    expect(calls).toEqual(['pause', 'stalled', 'resume', 'overflow']);
  });

  test('overflows at the largest limit where somebody waits for the result', () => {
    const { updates, calls, add } = createUpdates();
    updates.iterate();
    updates.resultWanted();
    add('a', 250);
    // Something else may hold the reader up: it gets some time.
    vi.advanceTimersByTime(10_000);
    expect(calls).toEqual(['pause', 'stalled']);
    vi.advanceTimersByTime(2_000);
    expect(calls).toEqual(['pause', 'stalled', 'resume', 'overflow']);
  });

  test('overflows above the hard limit, once, and keeps nothing then', async () => {
    const { updates, calls, add } = createUpdates();
    const iterator = updates.iterate();
    add('a', 1);
    add('b', 400);
    add('c', 401);
    expect(calls).toEqual(['overflow']);
    updates.end({ error: new Error('overflow') });
    await expect(iterator.next()).rejects.toThrow('overflow');
  });

  test('does not hold the agent back for a turn that has ended', () => {
    const { updates, calls, add } = createUpdates();
    updates.iterate();
    add('a', 250);
    updates.end({});
    expect(calls).toEqual(['pause', 'resume']);
  });
});
