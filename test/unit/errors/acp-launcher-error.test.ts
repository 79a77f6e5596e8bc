import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';
import { errorCodes, type ErrorCode } from '../../../src/errors/error-codes.ts';
import { ResumeFailedError } from '../../../src/errors/resume-failed-error.ts';

const copyOfTheModule = '../../../src/errors/acp-launcher-error.ts?copy';
const parsed = (value: unknown) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

describe('AcpLauncherError', () => {
  it('is recognised by another copy of the library, and nothing else is', async () => {
    const copy = (await import(copyOfTheModule)) as { AcpLauncherError: typeof AcpLauncherError };
    const error = new AcpLauncherError('timeout', 'too late', { phase: 'session' });
    expect(error).not.toBeInstanceOf(copy.AcpLauncherError);
    expect(copy.AcpLauncherError.isInstance(error)).toBe(true);
    for (const other of [new Error('x'), null, undefined, 7, {}, { code: 'timeout' }])
      expect(AcpLauncherError.isInstance(other)).toBe(false);
  });

  it.each(Object.keys(errorCodes) as ErrorCode[])('%s can be tried again as its entry says', (code) => {
    const { retryable } = errorCodes[code];
    expect(new AcpLauncherError(code, 'x', { phase: 'spawn' }).retryable).toBe(retryable);
    expect(new AcpLauncherError(code, 'x', { phase: 'spawn', retryable: !retryable }).retryable).toBe(
      !retryable,
    );
  });

  it('keeps all that it knows in JSON, with its causes (B72)', () => {
    const rpc = { code: -32603, message: 'Internal error', data: { details: 'the reason' } };
    const systemError = Object.assign(new Error('spawn x ENOENT'), { code: 'ENOENT' });
    const cause = new AcpLauncherError('command-missing', 'no x', { phase: 'spawn', cause: systemError });
    const facts = { phase: 'session', method: 'session/new', exitCode: 1, stderrTail: 'a\nb', rpc } as const;
    const error = new AcpLauncherError('request-failed', 'it failed', { ...facts, cause });
    error.resumeError = new AcpLauncherError('timeout', 'too late', { phase: 'session', timeoutMs: 5 });
    expect(parsed(error)).toEqual({
      name: 'AcpLauncherError',
      code: 'request-failed',
      message: 'it failed',
      retryable: false,
      ...facts,
      resumeError: expect.objectContaining({ code: 'timeout', timeoutMs: 5 }) as unknown,
      cause: {
        name: 'AcpLauncherError',
        code: 'command-missing',
        phase: 'spawn',
        message: 'no x',
        retryable: false,
        cause: { name: 'Error', message: 'spawn x ENOENT', code: 'ENOENT' },
      },
    });
  });

  it('is readable for a person, and for a logger that takes its own members', () => {
    const error = new AcpLauncherError('agent-exited', 'it is gone', { phase: 'prompt', exitCode: 137 });
    expect(String(error)).toBe('AcpLauncherError: it is gone');
    expect(inspect(error)).toMatch(/agent-exited[^]*exitCode: 137/);
    expect(Object.fromEntries(Object.entries(error))).toEqual({
      name: 'AcpLauncherError',
      code: 'agent-exited',
      phase: 'prompt',
      retryable: true,
      facts: { exitCode: 137 },
    });
  });

  it('says of a failed resume what it rests on', () => {
    const evidence = { source: 'data', text: 'No conversation found', pattern: 'no conversation' } as const;
    const error = new ResumeFailedError('missing', evidence, 'old-id', { method: 'session/new' });
    expect(error.message).toBe(
      'session old-id could not be resumed (missing): data says "No conversation found"',
    );
    expect(parsed(error)).toMatchObject({
      code: 'resume-failed',
      kind: 'missing',
      evidence,
      sessionId: 'old-id',
    });
    expect(error).toMatchObject({
      name: 'ResumeFailedError',
      sessionId: 'old-id',
      kind: 'missing',
      evidence,
    });
    expect(AcpLauncherError.isInstance(error)).toBe(true);
  });
});
