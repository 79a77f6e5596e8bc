import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { IdleTimer } from '../../../src/manager/idle-timer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('tells once when nothing was touched for so long', () => {
  const onIdle = vi.fn();
  const timer = new IdleTimer(1_000, onIdle);
  vi.advanceTimersByTime(5_000);
  expect(onIdle).not.toHaveBeenCalled();
  timer.touch();
  vi.advanceTimersByTime(900);
  timer.touch();
  vi.advanceTimersByTime(999);
  expect([onIdle.mock.calls.length, timer.idleMs, timer.isOver]).toEqual([0, 999, false]);
  vi.advanceTimersByTime(1);
  expect([onIdle.mock.calls.length, timer.isOver]).toEqual([1, true]);
  vi.advanceTimersByTime(10_000);
  expect(onIdle).toHaveBeenCalledOnce();
});

it('is quiet when it was stopped', () => {
  const onIdle = vi.fn();
  const timer = new IdleTimer(1_000, onIdle);
  timer.touch();
  timer.stop();
  expect(vi.getTimerCount()).toBe(0);
});

it.each([0, Infinity])('%s is never', (timeoutMs) => {
  new IdleTimer(timeoutMs, expect.unreachable).touch();
  expect(vi.getTimerCount()).toBe(0);
});

it('waits for longer than a timer can', () => {
  const onIdle = vi.fn();
  const month = 30 * 24 * 3_600_000;
  new IdleTimer(month, onIdle).touch();
  vi.advanceTimersByTime(month - 1);
  expect(onIdle).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onIdle).toHaveBeenCalledOnce();
});
