import { expect, it, test } from 'vitest';
import { defaultLimits, resolveLimits, type LimitOverrides } from '../../../src/config/launcher-options.ts';
import { configError, invalid, refusal } from './config-error.ts';

it('fills in the defaults', () => {
  expect(resolveLimits()).toStrictEqual(defaultLimits);
  expect(resolveLimits(undefined, {})).toStrictEqual(defaultLimits);
  expect(Object.isFrozen(resolveLimits())).toBe(true);
});

it('lets later limits win, and undefined change nothing', () => {
  const limits = resolveLimits({ closeGraceMs: 1, drainMs: 5 }, { closeGraceMs: 2, drainMs: undefined });
  expect(limits).toStrictEqual({ ...defaultLimits, closeGraceMs: 2, drainMs: 5 });
});

test.each<LimitOverrides>([
  { promptTimeoutMs: 0 },
  { promptTimeoutMs: Infinity },
  { closeGraceMs: 0.5 },
  { maxQueuedPrompts: 0 },
  { maxBufferedBytes: 1, maxBufferedHardBytes: 1 },
])('accepts %j', (limits) => {
  expect(resolveLimits(limits)).toMatchObject(limits);
});

test.each<[string, Record<string, unknown>]>([
  ['closeGraceMs', { closeGraceMs: -1 }],
  ['closeGraceMs', { closeGraceMs: Number.NaN }],
  ['closeGraceMs', { closeGraceMs: '1500' }],
  ['initializeTimeoutMs', { initializeTimeoutMs: null }],
  ['maxLineBytes', { maxLineBytes: 0 }],
  ['maxLineBytes', { maxLineBytes: Infinity }],
  ['stderrTailBytes', { stderrTailBytes: 1.5 }],
  ['maxQueuedPrompts', { maxQueuedPrompts: -1 }],
  ['closeGrace', { closeGrace: 1500 }],
  ['maxBufferedBytes', { maxBufferedBytes: 128 * 1024 * 1024 }],
])('refuses %s (row %#)', (field, limits) => {
  expect(refusal(() => resolveLimits(limits as LimitOverrides))).toEqual(invalid(field));
});

it('says what is expected', () => {
  const bad = { closeGraceMs: -1 };
  expect(configError(() => resolveLimits(bad)).message).toBe(
    'closeGraceMs: expected a number of milliseconds, 0 or more',
  );
});
