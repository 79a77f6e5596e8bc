import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { ResumeEvidence } from '../errors/resume-failed-error.ts';
import { judgeResumeFailure } from './judge-resume-failure.ts';
import type { ResumePolicy } from './resume-policy.ts';

/** How the first prompt after a resume ended. */
export interface FirstPromptFailure {
  readonly sessionId: string;
  readonly error: unknown;
  /** Whether an update came that shows that the agent worked on it. */
  readonly worked: boolean;
  /** What stderr said against the session since it was opened. */
  readonly doubt: ResumeEvidence | undefined;
}

/** The agent does not know the session that it accepted, and did not execute its first prompt. */
export interface FirstPromptRejection {
  readonly error: AcpLauncherError;
  readonly evidence: ResumeEvidence;
}

/**
 * What proves that the first prompt after a resume was not executed, since the agent does not know the session;
 * `undefined` where nothing does. Only with such a proof may a prompt be sent once more. Pure.
 *
 * @throws AcpLauncherError `invalid-config` as {@link judgeResumeFailure}.
 */
export function judgeFirstPrompt(
  { sessionId, error, worked, doubt }: FirstPromptFailure,
  policy: Pick<ResumePolicy, 'keywords' | 'classify'>,
): FirstPromptRejection | undefined {
  if (worked || !AcpLauncherError.isInstance(error)) return undefined;
  if (error.code !== 'request-failed' && error.code !== 'agent-exited') return undefined;
  const attempt = { sessionId, method: 'session/prompt', error, stderrLines: [] };
  const verdict = judgeResumeFailure(attempt, policy);
  if (verdict.action === 'throw') return undefined;
  // A line on stderr outweighs the OK that the resume was answered with.
  const evidence = verdict.kind === 'missing' ? verdict.evidence : doubt;
  return evidence === undefined ? undefined : { error, evidence: { ...evidence, source: 'first-prompt' } };
}
