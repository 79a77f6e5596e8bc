import type { KnownSession } from './known-sessions.ts';
import type { FreshReason } from './resume-outcome.ts';
import type { StoredPointer } from './session-store.ts';

/** What a caller asks for, as far as it decides which session serves it. */
export interface WantedSession {
  readonly projectId: string;
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
  /** The id that this session stands in for, since it could not be resumed. */
  readonly standsInFor?: string | undefined;
  readonly cwd: string;
  readonly agentId: string;
  readonly fingerprint: ConfigurationFingerprint;
  /** The caller asked for a new conversation: an older one must not come back in its place. */
  readonly begunAnew?: boolean | undefined;
  readonly healthy: boolean;
  readonly turnActive: boolean;
  /** Whether a turn has begun: a session that was never prompted does not exist for most agents. */
  readonly prompted: boolean;
}

export type SessionDecision =
  | { readonly action: 'reuse' }
  /** The same agent with another model, switched live where it offers that, else by a restart. */
  | { readonly action: 'switch-model' }
  | OpenDecision
  | { readonly action: 'refuse'; readonly code: 'session-busy' | 'session-conflict'; readonly why: string };

/** Open a session with a new agent, in the place of the live one if there is one. */
export type OpenDecision =
  | { readonly action: 'open'; readonly resumeSessionId: string }
  | {
      readonly action: 'open';
      readonly resumeSessionId?: undefined;
      readonly reason?: FreshReason;
      readonly previousSessionId?: string;
    };

/**
 * Which session serves a request: the live one, the one that the pointer names, the one asked for, or a new one.
 * Pure; the same conversation goes on wherever that is possible, and a turn is never ended by surprise.
 *
 * Whatever it decides but `open`, it decides the same with any `stored`: a live session needs no look at the store.
 */
export function decideSession(
  wanted: WantedSession,
  live: LiveSession | undefined,
  stored: StoredPointer,
  known: KnownSession | undefined,
): SessionDecision {
  const conflict = conflictOf(wanted, known);
  if (conflict !== undefined) return { action: 'refuse', code: 'session-conflict', why: conflict };
  const decision = decide(wanted, live, stored);
  const endsTurn = live?.turnActive === true && live.healthy && decision.action !== 'reuse';
  if (endsTurn && wanted.evenDuringTurn !== true) {
    const why = `the project's session ${live.sessionId} is in the middle of a turn, which the request would end`;
    return { action: 'refuse', code: 'session-busy', why };
  }
  return decision;
}

/** What is opened for a request that the live session can't serve, although it is the one that is wanted. */
export function decideReplacement(
  wanted: WantedSession,
  live: LiveSession,
  stored: StoredPointer,
): OpenDecision {
  // Nothing was said in it yet: what came before it, if anything, is the conversation.
  if (!live.prompted && live.begunAnew !== true && stored.status === 'found')
    return decideStored(wanted, stored);
  if (live.cwd !== wanted.cwd) return fresh('cwd-changed', previousOf(live, stored));
  if (live.agentId !== wanted.agentId) return fresh('agent-changed', previousOf(live, stored));
  return live.prompted
    ? { action: 'open', resumeSessionId: live.sessionId }
    : fresh('never-prompted', live.sessionId);
}

function decide(
  wanted: WantedSession,
  live: LiveSession | undefined,
  stored: StoredPointer,
): SessionDecision {
  const { sessionId } = wanted;
  if (wanted.newSession === true) return fresh('new-session-asked', previousOf(live, stored));
  if (live !== undefined && (sessionId === undefined || sessionId === live.sessionId)) {
    const { model, rest } = live.fingerprint;
    const isSamePlace = live.cwd === wanted.cwd && live.agentId === wanted.agentId;
    if (!live.healthy || !isSamePlace || rest !== wanted.fingerprint.rest)
      return decideReplacement(wanted, live, stored);
    return { action: model === wanted.fingerprint.model ? 'reuse' : 'switch-model' };
  }
  const isStored = stored.status === 'found' && stored.pointer.sessionId === sessionId;
  if (sessionId === undefined || isStored) return decideStored(wanted, stored);
  return { action: 'open', resumeSessionId: sessionId };
}

function decideStored(wanted: WantedSession, stored: StoredPointer): OpenDecision {
  switch (stored.status) {
    case 'none':
      return fresh();
    case 'unreadable':
      return fresh('pointer-unreadable');
    case 'found': {
      const { sessionId, cwd, agentId } = stored.pointer;
      if (cwd !== wanted.cwd) return fresh('cwd-changed', sessionId);
      if (agentId !== wanted.agentId) return fresh('agent-changed', sessionId);
      return { action: 'open', resumeSessionId: sessionId };
    }
  }
}

/** The conversation that a new session leaves behind. */
function previousOf(live: LiveSession | undefined, stored: StoredPointer): string | undefined {
  if (live?.prompted === true) return live.sessionId;
  return stored.status === 'found' ? stored.pointer.sessionId : live?.standsInFor;
}

function conflictOf(wanted: WantedSession, known: KnownSession | undefined): string | undefined {
  const { projectId, sessionId, newSession, cwd } = wanted;
  if (known === undefined || sessionId === undefined || newSession === true) return undefined;
  if (known.projectId !== projectId) return `session ${sessionId} belongs to another project`;
  return known.cwd === undefined || known.cwd === cwd
    ? undefined
    : `session ${sessionId} belongs to the directory ${known.cwd}, not ${cwd}`;
}

function fresh(reason?: FreshReason, previousSessionId?: string): OpenDecision {
  return {
    action: 'open',
    ...(reason === undefined ? {} : { reason }),
    ...(previousSessionId === undefined ? {} : { previousSessionId }),
  };
}
