import { describe, expect, it, vi } from 'vitest';
import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';
import type { ErrorCode } from '../../../src/errors/error-codes.ts';
import { attemptFresh } from '../../../src/session/fresh-attempts.ts';

const failure = (code: ErrorCode) => new AcpLauncherError(code, code, { phase: 'session' });

describe('attemptFresh', () => {
  it.each<[ErrorCode, number]>([
    ['agent-exited', 3],
    ['spawn-failed', 3],
    ['request-failed', 1],
    ['timeout', 1],
    ['auth-required', 1],
    ['aborted', 1],
  ])('%s: %i of 3 attempts', async (code, attempts) => {
    const attempt = vi.fn(() => Promise.reject(failure(code)));
    await expect(attemptFresh(attempt, { attempts: 3 })).rejects.toMatchObject({ code });
    expect(attempt).toHaveBeenCalledTimes(attempts);
  });

  it('is content with the first that works', async () => {
    const attempt = vi.fn(() => Promise.resolve('session')).mockRejectedValueOnce(failure('agent-exited'));
    expect(await attemptFresh(attempt, { attempts: 3 })).toBe('session');
    expect(attempt.mock.calls).toEqual([[1], [2]]);
  });

  it.each([new TypeError('a bug'), new Error('another'), 'no error at all'])(
    'throws %s at once',
    async (thrown) => {
      const attempt = vi.fn(() => Promise.reject(thrown as Error));
      await expect(attemptFresh(attempt, { attempts: 3 })).rejects.toThrow();
      expect(attempt).toHaveBeenCalledOnce();
    },
  );

  it('waits no longer than the signal', async () => {
    const controller = new AbortController();
    const attempt = vi.fn(() => {
      controller.abort(new Error('enough'));
      return Promise.reject(failure('agent-exited'));
    });
    await expect(attemptFresh(attempt, { attempts: 3, signal: controller.signal })).rejects.toThrow('enough');
    expect(attempt).toHaveBeenCalledOnce();
  });
});
