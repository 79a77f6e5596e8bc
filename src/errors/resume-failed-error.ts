import { AcpLauncherError, type ErrorFacts } from './acp-launcher-error.ts';

/**
 * Why a session could not be resumed.
 *
 * - `missing`: the agent says that it has no such session.
 * - `unresumable`: resuming failed repeatedly although the session was not shown to be missing.
 * - `unsupported`: the agent rejects the resume method itself.
 * - `locked`: another process holds the session.
 * - `timeout`: the agent did not answer in time.
 * - `ignored`: the agent opened another session instead, without an error.
 * - `unproven`: something failed while a resume was asked for; it may have nothing to do with the session.
 */
export type ResumeFailureKind = (typeof resumeFailureKinds)[number];

export const resumeFailureKinds = [
  'missing',
  'unresumable',
  'unsupported',
  'locked',
  'timeout',
  'ignored',
  'unproven',
] as const;

/** What a verdict about a resume rests on. */
export interface ResumeEvidence {
  /** Where it was seen. */
  readonly source:
    | 'code'
    | 'message'
    | 'data'
    | 'stderr'
    | 'exit'
    | 'timeout'
    | 'response'
    | 'session-list'
    | 'first-prompt'
    | 'caller';
  /** What was seen there, redacted and cut to one line. */
  readonly text: string;
  /** The JSON-RPC code, where an error was answered. */
  readonly rpcCode?: number | undefined;
  /** The keyword that matched. */
  readonly pattern?: string | undefined;
}

/**
 * A session could not be resumed, and opening another in its place was not allowed. The agent is gone when `launch`
 * throws it. Nothing was dropped: the session id stays valid for another attempt.
 */
export class ResumeFailedError extends AcpLauncherError {
  readonly kind: ResumeFailureKind;
  readonly evidence: ResumeEvidence;
  readonly sessionId: string;

  constructor(
    kind: ResumeFailureKind,
    evidence: ResumeEvidence,
    sessionId: string,
    facts: Omit<ErrorFacts, 'phase' | 'sessionId'>,
  ) {
    const message = `session ${sessionId} could not be resumed (${kind}): ${evidence.source} says "${evidence.text}"`;
    super('resume-failed', message, { ...facts, phase: 'session', sessionId });
    this.kind = kind;
    this.evidence = evidence;
    this.sessionId = sessionId;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), kind: this.kind, evidence: this.evidence };
  }
}
