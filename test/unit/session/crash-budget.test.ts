import { expect, it, test } from 'vitest';
import { allowStart } from '../../../src/session/crash-budget.ts';

const limits = { maxCrashes: 4, windowMs: 1_000, backoffMs: 100 };
const now = 10_000;

test.each<[string, number[], object]>([
  ['no crash', [], { allowed: true, waitMs: 0 }],
  ['one crash', [now], { allowed: true, waitMs: 0 }],
  ['two crashes', [now - 10, now], { allowed: true, waitMs: 100 }],
  ['three crashes', [now - 20, now - 10, now], { allowed: true, waitMs: 200 }],
  ['the wait is over', [now - 400, now - 300, now - 200], { allowed: true, waitMs: 0 }],
  ['part of the wait is over', [now - 400, now - 50], { allowed: true, waitMs: 50 }],
  ['too many', [now - 30, now - 20, now - 10, now], { allowed: false, retryAfterMs: 970 }],
  [
    'too many, but the first has left the window',
    [now - 1_000, now - 20, now - 10, now],
    { allowed: true, waitMs: 200 },
  ],
  ['long ago', [1, 2, 3, 4], { allowed: true, waitMs: 0 }],
])('%s', (_name, times, allowance) => {
  expect(allowStart(times, now, limits)).toEqual(allowance);
});

it('waits no longer than half a minute', () => {
  const many = Array.from({ length: 30 }, () => now);
  expect(allowStart(many, now, { ...limits, maxCrashes: 100 })).toEqual({ allowed: true, waitMs: 30_000 });
});
