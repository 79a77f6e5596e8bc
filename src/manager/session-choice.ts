import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { decideSession, type SessionDecision } from '../session/decide-session.ts';
import type { StoredPointer } from '../session/session-store.ts';
import { untilAborted } from './abort-error.ts';
import type { ManagedContext } from './open-project-session.ts';
import type { ProjectAgent } from './project-agent.ts';
import type { PlannedRequest } from './session-request.ts';

const noPointer: StoredPointer = { status: 'none' };

type ServingDecision = Exclude<SessionDecision, { action: 'refuse' }>;

/** Chooses the session that serves a project's request, by what is live, stored and known. */
export class SessionChoice {
  readonly #agent: ProjectAgent;
  readonly #context: ManagedContext;

  constructor(agent: ProjectAgent, context: ManagedContext) {
    this.#agent = agent;
    this.#context = context;
  }

  /** What {@link decide} needs to know of the store: nothing where the live session serves, whatever is stored. */
  async storedFor(request: PlannedRequest, signal: AbortSignal): Promise<StoredPointer> {
    const decision = this.#decide(request, noPointer);
    return decision.action === 'open' || isConflict(decision) ? this.readPointer(signal) : noPointer;
  }

  /** @throws AcpLauncherError `session-busy`, `session-conflict` */
  decide(request: PlannedRequest, stored: StoredPointer): ServingDecision {
    const decision = this.#decide(request, stored);
    if (decision.action !== 'refuse') return decision;
    const { sessionId } = request.wanted;
    throw new AcpLauncherError(decision.code, decision.why, { phase: 'session', sessionId });
  }

  /** @throws As {@link decide}, for a request that would be refused now. */
  async assertServed(request: PlannedRequest, signal: AbortSignal): Promise<void> {
    const isDoubtful = isConflict(this.#decide(request, noPointer));
    this.decide(request, isDoubtful ? await untilAborted(this.readPointer(signal), signal) : noPointer);
  }

  /** What the store holds for the project; remembers whose sessions those are. */
  async readPointer(signal: AbortSignal): Promise<StoredPointer> {
    const { projectId, pointer } = this.#agent;
    const { known, events } = this.#context;
    const stored = await pointer.read(signal);
    if (stored.status === 'unreadable')
      events.emit('pointer-unreadable', { projectId, problem: stored.problem });
    if (stored.status === 'found') {
      const { sessionId, previousSessionIds, standsInFor = [], cwd } = stored.pointer;
      known.add(sessionId, { projectId, cwd });
      for (const lost of standsInFor) known.replace(lost, sessionId, { projectId, cwd });
      const isOwn = (id: string) => known.find(id, projectId)?.projectId === projectId;
      // They may have been opened in other directories.
      for (const id of previousSessionIds) if (!isOwn(id)) known.add(id, { projectId, cwd: undefined });
    }
    return stored;
  }

  #decide({ wanted }: PlannedRequest, stored: StoredPointer): SessionDecision {
    const { projectId, live } = this.#agent;
    const { known } = this.#context;
    const { sessionId } = wanted;
    // Where another session stands in for the one that is asked for, that one is meant.
    const current = sessionId === undefined ? undefined : known.current(sessionId, projectId);
    const place = sessionId === undefined ? undefined : known.find(sessionId, projectId);
    return decideSession({ ...wanted, sessionId: current }, live?.describe(), stored, place);
  }
}

/** What the store holds may still settle it: an id may belong to several projects. */
function isConflict(decision: SessionDecision): boolean {
  return decision.action === 'refuse' && decision.code === 'session-conflict';
}
