import { expect, it, test } from 'vitest';
import { defaultManagerLimits, resolveManagerLimits } from '../../../src/config/manager-options.ts';
import { configError } from './config-error.ts';

it('puts what is given over the defaults, and leaves other options alone', () => {
  const options = { maxAgents: 3, idleTimeoutMs: 0, crashWindowMs: undefined, store: new Map() } as object;
  expect(resolveManagerLimits(options)).toEqual({ ...defaultManagerLimits, maxAgents: 3, idleTimeoutMs: 0 });
  expect(resolveManagerLimits({ maxAgents: Infinity, idleTimeoutMs: Infinity })).toMatchObject({
    maxAgents: Infinity,
  });
});

test.each<[string, object]>([
  ['maxStartingAgents', { maxStartingAgents: 0 }],
  ['maxStartingAgents', { maxStartingAgents: 1.5 }],
  ['maxAgents', { maxAgents: 0 }],
  ['maxAgents', { maxAgents: '3' }],
  ['maxAgents', { maxAgents: NaN }],
  ['idleTimeoutMs', { idleTimeoutMs: -1 }],
  ['maxCrashes', { maxCrashes: 0 }],
  ['crashWindowMs', { crashWindowMs: null }],
  ['crashBackoffMs', { crashBackoffMs: NaN }],
])('refuses a wrong %s: %o', (field, options) => {
  expect(configError(() => resolveManagerLimits(options))).toMatchObject({ facts: { field } });
});
