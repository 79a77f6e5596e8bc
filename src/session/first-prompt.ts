import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { ResumeEvidence } from '../errors/resume-failed-error.ts';
import { classifyResumeFailure } from './classify-resume-failure.ts';
import type { PromptTurn } from './prompt-turn.ts';
import type { ResumeKeyword } from './resume-keywords.ts';

/**
 * Waits for the first sign of the first turn after a resume. Returns what proves that the agent does not know the
 * session and did not execute the prompt, or `undefined` where nothing does; only then may the prompt be sent again.
 */
export async function firstPromptRejection(
  turn: PromptTurn,
  session: { readonly sessionId: string; readonly doubt: ResumeEvidence | undefined },
  keywords: readonly ResumeKeyword[],
): Promise<{ readonly error: AcpLauncherError; readonly evidence: ResumeEvidence } | undefined> {
  const error = await turn.firstSign();
  if (turn.summary.updates > 0 || !AcpLauncherError.isInstance(error) || error.code !== 'request-failed')
    return undefined;
  const { sessionId, doubt } = session;
  const verdict = classifyResumeFailure(
    { sessionId, method: 'session/prompt', error, stderrLines: [] },
    keywords,
  );
  const says = verdict.action === 'failed' && verdict.kind === 'missing' ? verdict.evidence : doubt;
  return says === undefined ? undefined : { error, evidence: { ...says, source: 'first-prompt' } };
}
