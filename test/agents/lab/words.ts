import { AcpLauncherError, ResumeFailedError, type AgentSession, type ResumeOutcome } from 'acp-launcher';

/** An error in the words of a verdict: its code, and what the agent's own code was. */
export function describeError(error: unknown): string {
  if (error instanceof ResumeFailedError) return `resume-failed: ${error.kind}`;
  if (AcpLauncherError.isInstance(error)) {
    const rpc = error.facts.rpc;
    return `${error.code} at ${error.phase}${rpc === undefined ? '' : ` (${rpc.code})`}`;
  }
  return error instanceof Error ? `${error.name}: ${error.message.slice(0, 200)}` : String(error);
}

/** What a person would read, without the ids that differ from run to run. */
export function messageOf(error: unknown): string {
  return withoutIds(error instanceof Error ? error.message : '').slice(0, 200);
}

/** A resume's outcome in the words of a verdict: the status, the kind, and what the kind rests on. */
export function describeResume(outcome: ResumeOutcome): string {
  switch (outcome.status) {
    case 'fresh':
      return outcome.reason === undefined ? 'fresh' : `fresh (${outcome.reason})`;
    case 'resumed':
      return `resumed by ${outcome.method}${outcome.attempts > 1 ? `, attempt ${outcome.attempts}` : ''}`;
    case 'ignored':
      return `ignored (offers ${outcome.nativeMethod ?? 'no way to resume'})`;
    case 'fell-back': {
      const { source, rpcCode } = outcome.evidence;
      return `fell-back: ${outcome.kind} by ${source}${rpcCode === undefined ? '' : ` (${rpcCode})`}`;
    }
  }
}

/** What a verdict leaves out: the words of the evidence, without the ids that differ from run to run. */
export function evidenceOf({ resume }: AgentSession): { aside?: string } {
  return 'evidence' in resume ? { aside: withoutIds(resume.evidence.text) } : {};
}

/** Ids differ from run to run, and paths from machine to machine. */
export function withoutIds(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|ses_\w+/g, '<id>')
    .replace(/(?<![\w.:])\/(?:[^\s/:)"'`]+\/)+/g, '…/');
}
