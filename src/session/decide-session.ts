import type { FreshReason } from './resume-outcome.ts';
import type { StoredPointer } from './session-store.ts';

/** What a caller asks for, as far as it decides which session serves it. */
export interface WantedSession {
  readonly sessionId?: string | undefined;
  readonly newSession?: boolean | undefined;
  readonly cwd: string;
  readonly agentId: string;
  readonly fingerprint: ConfigurationFingerprint;
  /** Replace the agent even in the middle of a turn. */
  readonly evenDuringTurn?: boolean | undefined;
}

/** Two configurations with the same texts need no restart of the agent. */
export interface ConfigurationFingerprint {
  readonly model: string;
  readonly rest: string;
}

/** The session that a project has now. */
export interface LiveSession {
  readonly sessionId: string;
  /** An id that this session stands in for, since it could not be resumed. */
  readonly standsInFor?: string | undefined;
  readonly cwd: string;
  readonly fingerprint: ConfigurationFingerprint;
  readonly healthy: boolean;
  readonly turnActive: boolean;
  /** Whether a turn has begun: a session that was never prompted does not exist for most agents. */
  readonly prompted: boolean;
}

export type SessionDecision =
  | { readonly action: 'reuse' }
  /** The same agent with another model, switched live where it offers that, else by a restart. */
  | { readonly action: 'switch-model' }
  | { readonly action: 'open'; readonly resumeSessionId: string; readonly replaces: boolean }
  | {
      readonly action: 'open';
      readonly resumeSessionId?: undefined;
      readonly replaces: boolean;
      readonly reason?: FreshReason;
      readonly previousSessionId?: string;
    }
  | { readonly action: 'refuse'; readonly code: 'session-busy' | 'session-conflict'; readonly why: string };

/** A session id that is known to belong somewhere. */
export interface KnownSession {
  readonly projectId: string;
  readonly cwd: string;
}

/**
 * Which session serves a request: the live one, the one that the pointer names, the one asked for, or a new one.
 * Pure; the same conversation goes on wherever that is possible, and a turn is never ended by surprise.
 */
export function decideSession(
  projectId: string,
  wanted: WantedSession,
  live: LiveSession | undefined,
  stored: StoredPointer,
  known: KnownSession | undefined,
): SessionDecision {
  const pointer = stored.status === 'found' ? stored.pointer : undefined;
  const previous = live?.prompted === true ? live.sessionId : (pointer?.sessionId ?? live?.standsInFor);
  if (wanted.sessionId !== undefined && wanted.newSession !== true) {
    const conflict = conflictOf(projectId, wanted.sessionId, wanted.cwd, known);
    if (conflict !== undefined) return { action: 'refuse', code: 'session-conflict', why: conflict };
  }
  const decision = decide(wanted, live, stored, previous);
  const endsTurn = live?.turnActive === true && live.healthy && decision.action !== 'reuse';
  if (endsTurn && wanted.evenDuringTurn !== true) {
    const why = `the project's session ${live.sessionId} is in the middle of a turn, which the request would end`;
    return { action: 'refuse', code: 'session-busy', why };
  }
  return decision;
}

function decide(
  wanted: WantedSession,
  live: LiveSession | undefined,
  stored: StoredPointer,
  previous: string | undefined,
): SessionDecision {
  const replaces = live !== undefined;
  if (wanted.newSession === true) return fresh(replaces, 'new-session-asked', previous);
  if (live !== undefined && live.cwd !== wanted.cwd && wanted.sessionId === undefined) {
    return fresh(replaces, 'cwd-changed', previous);
  }
  const { sessionId } = wanted;
  const isLive =
    live !== undefined &&
    (sessionId === undefined || sessionId === live.sessionId || sessionId === live.standsInFor);
  if (isLive) return decideLive(wanted, live, stored, previous);
  if (sessionId !== undefined) return { action: 'open', resumeSessionId: sessionId, replaces };
  return decideStored(wanted, stored, replaces);
}

function decideLive(
  wanted: WantedSession,
  live: LiveSession,
  stored: StoredPointer,
  previous: string | undefined,
): SessionDecision {
  const { model, rest } = live.fingerprint;
  const sameRest = rest === wanted.fingerprint.rest;
  if (live.healthy && sameRest)
    return model === wanted.fingerprint.model ? { action: 'reuse' } : { action: 'switch-model' };
  if (live.prompted) return { action: 'open', resumeSessionId: live.sessionId, replaces: true };
  // Nothing was said in it yet: what came before it, if anything, is the conversation.
  if (previous !== undefined && stored.status === 'found') return decideStored(wanted, stored, true);
  return fresh(true, 'never-prompted', live.sessionId);
}

function decideStored(wanted: WantedSession, stored: StoredPointer, replaces: boolean): SessionDecision {
  switch (stored.status) {
    case 'none':
      return fresh(replaces);
    case 'unreadable':
      return fresh(replaces, 'pointer-unreadable');
    case 'found': {
      const { sessionId, cwd, agentId } = stored.pointer;
      if (cwd !== wanted.cwd) return fresh(replaces, 'cwd-changed', sessionId);
      if (agentId !== wanted.agentId) return fresh(replaces, 'agent-changed', sessionId);
      return { action: 'open', resumeSessionId: sessionId, replaces };
    }
  }
}

function conflictOf(
  projectId: string,
  sessionId: string,
  cwd: string,
  known: KnownSession | undefined,
): string | undefined {
  if (known === undefined) return undefined;
  if (known.projectId !== projectId) return `session ${sessionId} belongs to another project`;
  return known.cwd === cwd
    ? undefined
    : `session ${sessionId} belongs to the directory ${known.cwd}, not ${cwd}`;
}

function fresh(replaces: boolean, reason?: FreshReason, previousSessionId?: string): SessionDecision {
  return {
    action: 'open',
    replaces,
    ...(reason === undefined ? {} : { reason }),
    ...(previousSessionId === undefined ? {} : { previousSessionId }),
  };
}
