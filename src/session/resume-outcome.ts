import type { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { ResumeEvidence, ResumeFailureKind } from '../errors/resume-failed-error.ts';

/** Why a new session was opened although an older one was known. */
export type FreshReason =
  'cwd-changed' | 'agent-changed' | 'new-session-asked' | 'never-prompted' | 'pointer-unreadable';

/** What became of the wish to go on with an earlier conversation. */
export type ResumeOutcome =
  /** A new session; `reason` and `previousSessionId` are set where there was an older one. */
  | { readonly status: 'fresh'; readonly reason?: FreshReason; readonly previousSessionId?: string }
  /** The agent accepted the id. Whether it remembers is only known from its answers. */
  | {
      readonly status: 'resumed';
      readonly sessionId: string;
      readonly method: 'session/new' | 'session/resume' | 'session/load';
      /** How many attempts it took. */
      readonly attempts: number;
      /** The last attempt that failed before this one worked. */
      readonly error?: AcpLauncherError;
    }
  /** The agent answered with another, empty session, without an error. The old id stays valid for it. */
  | {
      readonly status: 'ignored';
      readonly requestedSessionId: string;
      readonly sessionId: string;
      readonly evidence: ResumeEvidence;
      /** The method by which this agent does resume, if it advertises one (`strategy: 'native'`). */
      readonly nativeMethod?: 'session/resume' | 'session/load';
    }
  /** Resuming failed and a new session was opened instead. */
  | {
      readonly status: 'fell-back';
      readonly requestedSessionId: string;
      readonly sessionId: string;
      readonly kind: ResumeFailureKind;
      readonly evidence: ResumeEvidence;
      readonly error: AcpLauncherError;
      /** How many attempts to resume were made. */
      readonly attempts: number;
    };

/** What an answered opening request means for the resume that it asked for. Always compare the ids. */
export function outcomeOfOpening(
  method: 'session/new' | 'session/resume' | 'session/load',
  requestedSessionId: string | undefined,
  sessionId: string,
  nativeMethod: 'session/resume' | 'session/load' | undefined,
): ResumeOutcome {
  if (requestedSessionId === undefined) return { status: 'fresh' };
  if (requestedSessionId === sessionId) return { status: 'resumed', sessionId, method, attempts: 1 };
  return {
    status: 'ignored',
    requestedSessionId,
    sessionId,
    evidence: { source: 'response', text: `${method} answered with session ${sessionId}` },
    ...(nativeMethod === undefined ? {} : { nativeMethod }),
  };
}
