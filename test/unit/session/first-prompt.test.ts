import { describe, expect, it, test } from 'vitest';
import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';
import { judgeFirstPrompt } from '../../../src/session/first-prompt.ts';
import { defaultResumePolicy } from '../../../src/session/resume-policy.ts';
import { answered, sessionId } from './failed-resume.ts';

const doubt = { source: 'stderr', text: 'No conversation found' } as const;
const promptError = (rpc: { code: number; message: string; data?: unknown }) =>
  answered(rpc, { method: 'session/prompt' }).error;
const unknown = promptError({ code: -32603, message: `Session ${sessionId} not found` });
const inner = promptError({
  code: -32603,
  message: 'Internal error',
  data: { details: 'process exited with code 1' },
});
const auth = promptError({ code: -32000, message: 'Authentication required' });
const exited = new AcpLauncherError('agent-exited', 'gone', { phase: 'prompt' });

const judge = (failure: { error: unknown; worked?: boolean; doubt?: typeof doubt | undefined }) =>
  judgeFirstPrompt({ sessionId, worked: false, doubt: undefined, ...failure }, defaultResumePolicy);

describe('B15: the first prompt was not executed', () => {
  it('where its error says that the session is unknown', () => {
    expect(judge({ error: unknown })).toMatchObject({
      error: unknown,
      evidence: { source: 'first-prompt', text: `Session ${sessionId} not found` },
    });
  });

  it('where stderr said so of a session that was accepted, and it then failed', () => {
    expect(judge({ error: inner, doubt })?.evidence).toEqual({ ...doubt, source: 'first-prompt' });
    expect(judge({ error: exited, doubt })?.evidence).toEqual({ ...doubt, source: 'first-prompt' });
  });
});

describe('nothing proves that it was not executed', () => {
  test.each<[string, Parameters<typeof judge>[0]]>([
    ['an update came', { error: unknown, worked: true }],
    ['an update came after the line on stderr', { error: inner, worked: true, doubt }],
    ['the error says nothing, and stderr neither', { error: inner }],
    ['the agent died', { error: exited }],
    ['X02: the error has another cause, whatever stderr said', { error: auth, doubt }],
    [
      'it was cancelled, or timed out',
      { error: new AcpLauncherError('timeout', 't', { phase: 'prompt' }), doubt },
    ],
    ['the session was closed', { error: new AcpLauncherError('closed', 'c', { phase: 'shutdown' }), doubt }],
    ['it is no error of ours', { error: new Error('Session not found'), doubt }],
  ])('%s', (_name, failure) => {
    expect(judge(failure)).toBeUndefined();
  });

  it("the caller's own verdict says so", () => {
    const classify = () => ({ action: 'throw', evidence: doubt }) as const;
    const failure = { sessionId, error: unknown, worked: false, doubt };
    expect(judgeFirstPrompt(failure, { ...defaultResumePolicy, classify })).toBeUndefined();
  });
});
