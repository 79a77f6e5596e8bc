import { expect, it } from 'vitest';
import { outcomeOfOpening } from '../../../src/session/resume-outcome.ts';

it('B16: compares the ids, whatever was answered', () => {
  expect(outcomeOfOpening('session/new', undefined, 'b', 'session/load')).toEqual({ status: 'fresh' });
  expect(outcomeOfOpening('session/load', 'a', 'a', 'session/resume')).toEqual({
    status: 'resumed',
    sessionId: 'a',
    method: 'session/load',
    attempts: 1,
  });
  const ignored = {
    status: 'ignored',
    requestedSessionId: 'a',
    sessionId: 'b',
    evidence: { source: 'response', text: 'session/new answered with session b' },
  };
  expect(outcomeOfOpening('session/new', 'a', 'b', undefined)).toEqual(ignored);
  expect(outcomeOfOpening('session/new', 'a', 'b', 'session/load')).toEqual({
    ...ignored,
    nativeMethod: 'session/load',
  });
});
