import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { resumeFailureKinds } from '../errors/resume-failed-error.ts';
import { classifyResumeFailure } from './classify-resume-failure.ts';
import type { FailedResume, ResumePolicy, ResumeVerdict } from './resume-policy.ts';

/**
 * {@link classifyResumeFailure}, then the caller's own verdict, which may overrule all but an abort.
 *
 * @throws AcpLauncherError `invalid-config` when the caller's `classify` throws, or returns no verdict that we know.
 */
export function judgeResumeFailure(
  attempt: FailedResume,
  { keywords, classify }: Pick<ResumePolicy, 'keywords' | 'classify'>,
): ResumeVerdict {
  const verdict = classifyResumeFailure(attempt, keywords);
  const isAbort = AcpLauncherError.isInstance(attempt.error) && attempt.error.code === 'aborted';
  if (isAbort || classify === undefined) return verdict;
  let own: ResumeVerdict | undefined;
  try {
    own = classify(attempt, verdict);
  } catch (error) {
    throw classifyError('threw', error);
  }
  if (own === undefined) return verdict;
  const { action, kind, evidence } = own as { action?: unknown; kind?: unknown; evidence?: unknown };
  const isKnown = action === 'throw' || (action === 'failed' && resumeFailureKinds.includes(kind as never));
  if (!isKnown) throw classifyError('returned no verdict that is known');
  return evidence === undefined ? { ...own, evidence: { ...verdict.evidence, source: 'caller' } } : own;
}

function classifyError(problem: string, cause?: unknown): AcpLauncherError {
  const field = 'resumePolicy.classify';
  return new AcpLauncherError('invalid-config', `${field} ${problem}`, { phase: 'session', field, cause });
}
