import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../src/config/launcher-options.ts';
import { promptLimits, promptParams, turnOptions } from '../../../src/session/prompt-request.ts';

describe('the parameters', () => {
  test.each([
    [{}, {}],
    [{ meta: {} }, {}],
    [{ requestId: 'r' }, { _meta: { request_id: 'r' } }],
    [{ meta: { a: 1 } }, { _meta: { a: 1 } }],
    [{ requestId: 'r', meta: { a: 1, request_id: 'other' } }, { _meta: { a: 1, request_id: 'r' } }],
  ])('%j', (options, expected) => {
    expect(promptParams('s', options)).toEqual({ sessionId: 's', prompt: [], ...expected });
  });
});

describe('the limits of a turn', () => {
  test('are those of the session without overrides', () => {
    expect(promptLimits(defaultLimits, {})).toBe(defaultLimits);
  });

  test('are overridden one by one', () => {
    const limits = promptLimits({ ...defaultLimits, promptIdleTimeoutMs: 5 }, { promptTimeoutMs: 7 });
    expect(turnOptions(limits, undefined)).toMatchObject({
      timeouts: { promptTimeoutMs: 7, promptIdleTimeoutMs: 5 },
      limits: { softBytes: defaultLimits.maxBufferedBytes, hardBytes: defaultLimits.maxBufferedHardBytes },
      drainMs: 0,
    });
  });

  test.each([{ promptTimeoutMs: -1 }, { promptIdleTimeoutMs: NaN }, { promptTimeoutMs: '5' as never }])(
    'are refused when they are none: %j',
    (options) => {
      expect(() => promptLimits(defaultLimits, options)).toThrow(
        expect.objectContaining({ code: 'invalid-config' }),
      );
    },
  );
});
