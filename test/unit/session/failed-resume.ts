import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';
import type { FailedResume } from '../../../src/session/resume-policy.ts';

/** The session that the tests ask for, and one that they don't. */
export const sessionId = '11111111-2222-4333-8444-555555555555';
export const otherId = '99999999-8888-4777-8666-555555555555';

/** An attempt that the agent answered with this error. */
export function answered(
  rpc: { code: number; message: string; data?: unknown },
  { method = 'session/new', stderrLines = [] }: { method?: string; stderrLines?: readonly string[] } = {},
): FailedResume {
  const phase = method === 'session/prompt' ? 'prompt' : 'session';
  const code = rpc.code === -32000 && phase === 'session' ? 'auth-required' : 'request-failed';
  return { sessionId, method, stderrLines, error: new AcpLauncherError(code, rpc.message, { phase, rpc }) };
}

/** An attempt that failed without an answer. */
export function unanswered(
  code: 'agent-exited' | 'timeout' | 'invalid-response' | 'request-failed' | 'aborted' | 'spawn-failed',
  stderrLines: readonly string[] = [],
): FailedResume {
  const error = new AcpLauncherError(code, `${code} during session/new`, { phase: 'session' });
  return { sessionId, method: 'session/new', error, stderrLines };
}
