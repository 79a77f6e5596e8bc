import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { defaultManagerLimits } from '../../../src/config/manager-options.ts';
import { CrashRecord } from '../../../src/manager/crash-record.ts';

const { signal } = new AbortController();
const limits = { ...defaultManagerLimits, maxCrashes: 3, crashWindowMs: 60_000, crashBackoffMs: 1_000 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('forbids the next start after too many, until the window has moved on', async () => {
  const record = new CrashRecord('p', limits);
  await record.allowStart('a', signal);
  for (let index = 0; index < 3; index += 1) record.add();
  const refused = record.allowStart('a', signal);
  await expect(refused).rejects.toMatchObject({ code: 'crash-budget', retryable: true });
  await expect(refused).rejects.toThrow('in 60000 ms');
  vi.advanceTimersByTime(60_000);
  await record.allowStart('a', signal);
});

it('waits before the start, no longer than the signal', async () => {
  const record = new CrashRecord('p', limits);
  await record.allowStart('a', signal);
  record.add();
  record.add();
  let isAllowed = false;
  const allowed = record.allowStart('a', signal).then(() => (isAllowed = true));
  await vi.advanceTimersByTimeAsync(999);
  expect(isAllowed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await allowed;
  record.add();
  record.clear();
  record.add();
  record.add();
  const controller = new AbortController();
  const aborted = record.allowStart('a', controller.signal);
  controller.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  expect(vi.getTimerCount()).toBe(0);
});

it('starts anew with another configuration, and after clear', async () => {
  const record = new CrashRecord('p', limits);
  const crash = () => {
    for (let index = 0; index < 3; index += 1) record.add();
  };
  await record.allowStart('a', signal);
  crash();
  await expect(record.allowStart('a', signal)).rejects.toMatchObject({ code: 'crash-budget' });
  await record.allowStart('b', signal);
  crash();
  record.clear();
  await record.allowStart('b', signal);
});
