import type { AgentSession } from '../agent-session.ts';
import type { AgentClient } from '../client/agent-client.ts';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { ResumeFailedError } from '../errors/resume-failed-error.ts';
import { decideReplacement, type OpenDecision } from '../session/decide-session.ts';
import type { FirstPromptRejection } from '../session/first-prompt.ts';
import type { ResumePolicy } from '../session/resume-policy.ts';
import { abortError, throwIfAborted, untilAborted } from './abort-error.ts';
import type { StopReport } from './assert-ended.ts';
import { ChangeQueue } from './change-queue.ts';
import { IdleTimer } from './idle-timer.ts';
import type { LiveSession } from './live-session.ts';
import type { SessionAction } from './manager-events.ts';
import { openInPlaceOf } from './open-with-resume.ts';
import type { ManagedContext } from './open-project-session.ts';
import { ProjectAgent, type ProjectAgentOwner } from './project-agent.ts';
import { snapshotOf, type ProjectSnapshot } from './project-snapshot.ts';
import { PromptLine } from './prompt-line.ts';
import { SessionChoice } from './session-choice.ts';
import type { PlannedRequest, SessionGrant } from './session-request.ts';

/** One project: which session serves its requests. All changes run one after another. */
export class ManagedProject implements ProjectAgentOwner {
  readonly projectId: string;
  /** The prompts that wait for their turn. */
  readonly line = new PromptLine();
  readonly #context: ManagedContext;
  readonly #agent: ProjectAgent;
  readonly #choice: SessionChoice;
  readonly #idle: IdleTimer;
  readonly #changes = new ChangeQueue(() => {
    if (this.#agent.live === undefined) this.#context.seats.leave(this);
  });
  /** Requests that are about to use the session. */
  #holds = 0;
  /** Aborted by `stop` and `forget`: ends everything that was asked before. */
  #asked = new AbortController();

  constructor(projectId: string, context: ManagedContext) {
    this.projectId = projectId;
    this.#context = context;
    this.#agent = new ProjectAgent(this, context);
    this.#choice = new SessionChoice(this.#agent, context);
    this.#idle = new IdleTimer(context.limits.idleTimeoutMs, () => void this.#reap());
  }

  get policy(): ResumePolicy {
    return this.#context.policy;
  }

  /** The session, while it can be used. */
  get session(): AgentSession | undefined {
    const { live } = this.#agent;
    return live?.isHealthy === true ? live.session : undefined;
  }

  /** What is asked before the next `stop` or `forget` ends with this signal. */
  get asked(): AbortSignal {
    return this.#asked.signal;
  }

  /** Whether only settings and crashes would be lost with it. */
  get isDisposable(): boolean {
    const { live, pointer } = this.#agent;
    return live === undefined && this.#changes.isEmpty && this.#holds === 0 && pointer.isSaved;
  }

  /** Keeps the session from being reaped or evicted until the returned function is called. */
  hold(): () => void {
    this.#holds += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#holds -= 1;
      isHeld = false;
    };
  }

  /** The live session, if it is this one, healthy, and configured as the request wants it. */
  liveFor(session: AgentSession, { wanted }: PlannedRequest): LiveSession | undefined {
    const { live } = this.#agent;
    if (live?.session !== session || !live.isHealthy || live.isChanging) return undefined;
    const { model, rest } = live.fingerprint;
    return model === wanted.fingerprint.model && rest === wanted.fingerprint.rest ? live : undefined;
  }

  /** Lets the agent ask this client, as long as no turn brings another. */
  useClient(session: AgentSession, client: AgentClient): void {
    const { live } = this.#agent;
    if (live?.session === session) live.useWhenIdle(client);
  }

  /** Ends the running turn, else the first prompt that was not sent yet. Never rejects. */
  async cancel(): Promise<void> {
    const { live } = this.#agent;
    if (live?.isTurnActive === true) await live.session.cancel();
    else this.line.cancelFirst();
  }

  /** @throws As {@link SessionChoice.assertServed} */
  assertServed(request: PlannedRequest, signal: AbortSignal): Promise<void> {
    return this.#choice.assertServed(request, signal);
  }

  /** Finds or opens the session for a request. */
  serve(request: PlannedRequest, signal: AbortSignal): Promise<SessionGrant> {
    return this.#request(signal, async () => {
      const stored = await this.#choice.storedFor(request, signal);
      // From here on no prompt may be sent to a session that is about to be replaced.
      const decision = this.#choice.decide(request, stored);
      const { live } = this.#agent;
      if (live === undefined || decision.action !== 'reuse') return this.#change(decision, request, signal);
      return this.#use(live, 'reused');
    });
  }

  /**
   * Opens a fresh session in the place of one that turned out to be missing at its first prompt, on the same agent
   * where that still lives. `undefined` where another request has replaced it already.
   */
  replaceRejected(
    rejected: LiveSession,
    request: PlannedRequest,
    { error, evidence }: FirstPromptRejection,
    signal: AbortSignal,
  ): Promise<LiveSession | undefined> {
    return this.#request(signal, async () => {
      const agent = this.#agent;
      // A stop puts another in its place.
      const { asked } = this;
      if (agent.live !== undefined && agent.live !== rejected) return undefined;
      await this.#choice.readPointer(signal);
      const { connection, session } = rejected;
      const { sessionId } = session;
      const lost = new ResumeFailedError('missing', evidence, sessionId, { ...error.facts, cause: error });
      rejected.isStopping = true;
      try {
        const live = await agent.open(request, sessionId, signal, {
          clients: rejected.clients,
          open: (opening) => openInPlaceOf(connection, opening, lost),
        });
        await session.closeSession();
        await untilAborted(agent.announce(live, 'opened'), asked);
        return live;
      } catch (failure) {
        // It may have failed before the agent was used again.
        if (agent.live === rejected) {
          await connection.close();
          agent.live = undefined;
        }
        throw failure;
      }
    });
  }

  /** Stops the agent and keeps the conversation. Ends everything that was asked before; forgets crashes. Idempotent. */
  stop(): Promise<StopReport> {
    this.#endAsked('the project was stopped');
    return this.#changes.run(async () => {
      const report = await this.#stopAgent();
      await this.#agent.saveAgain();
      return report;
    });
  }

  /** As {@link stop}, and drops the conversation. What is in flight can't bring it back. */
  forget(): Promise<StopReport> {
    this.#endAsked('the project was forgotten');
    return this.#changes.run(async () => {
      const report = await this.#stopAgent();
      this.#agent.settings.clear();
      this.#context.known.forget(this.projectId);
      await this.#agent.pointer.forget();
      return report;
    });
  }

  idleMs(): number | undefined {
    return this.#agent.live === undefined || this.#isBusy ? undefined : this.#idle.idleMs;
  }

  async stopIfIdle(): Promise<void> {
    await this.#changes.run(async () => {
      if (!this.#isBusy) await this.#stopAgent();
    });
  }

  snapshot(): ProjectSnapshot {
    return snapshotOf(this.#agent, this.idleMs());
  }

  promptsWait(): boolean {
    return this.line.hasWaiting;
  }

  used(): void {
    this.#idle.touch();
  }

  lost(live: LiveSession): void {
    void this.#changes.run(async () => {
      if (this.#agent.live === live) await this.#stopAgent();
    });
  }

  get #isBusy(): boolean {
    const { isOpening, live } = this.#agent;
    return this.#holds > 0 || isOpening || live?.isTurnActive === true;
  }

  #use(live: LiveSession, action: SessionAction): SessionGrant {
    this.used();
    return { session: live.session, action };
  }

  /** Serves a request that the live session can't serve as it is. No prompt is sent to it meanwhile. */
  async #change(
    decision: OpenDecision | { readonly action: 'reuse' | 'switch-model' },
    request: PlannedRequest,
    signal: AbortSignal,
  ): Promise<SessionGrant> {
    const { live } = this.#agent;
    if (live === undefined) return this.#replace({ ...decision, action: 'open' }, request, signal);
    live.isChanging = true;
    try {
      if (decision.action === 'open') return await this.#replace(decision, request, signal);
      const isSwitched = await untilAborted(this.#agent.switchModel(live, request), this.asked);
      if (isSwitched) return this.#use(live, 'model-switched');
      const stored = await this.#choice.readPointer(signal);
      return await this.#replace(decideReplacement(request.wanted, live.describe(), stored), request, signal);
    } finally {
      live.isChanging = false;
    }
  }

  async #replace(
    decision: OpenDecision,
    request: PlannedRequest,
    signal: AbortSignal,
  ): Promise<SessionGrant> {
    const agent = this.#agent;
    const { asked } = this;
    const { model, rest } = request.wanted.fingerprint;
    const action = agent.live?.isHealthy === true ? 'replaced' : 'opened';
    await agent.crashes.allowStart(`${model} ${rest}`, signal);
    await this.#stopAgent();
    const live = await agent.open(request, decision.resumeSessionId, signal);
    if (decision.resumeSessionId === undefined) {
      const { action: _action, ...why } = decision;
      live.session.setResume({ status: 'fresh', ...why });
      // Modes and options are the agent's own.
      if (decision.reason === 'agent-changed') agent.settings.clear();
    }
    await untilAborted(agent.announce(live, action), asked);
    return { session: live.session, action };
  }

  #stopAgent(): Promise<StopReport> {
    this.#idle.stop();
    return this.#agent.stop();
  }

  async #reap(): Promise<void> {
    await this.#changes.run(async () => {
      if (this.#isBusy) this.used();
      else if (this.#idle.isOver) await this.#stopAgent();
    });
  }

  #endAsked(why: string): void {
    this.#asked.abort(new AcpLauncherError('closed', why, { phase: 'shutdown' }));
    this.#asked = new AbortController();
    this.#agent.crashes.clear();
  }

  /** Runs a change that a caller waits for, who is told why it ended early. */
  #request<Result>(signal: AbortSignal, change: () => Promise<Result>): Promise<Result> {
    return this.#changes.run(async () => {
      try {
        throwIfAborted(signal);
        return await change();
      } catch (error) {
        const told = signal.aborted ? abortError(signal) : error;
        this.#agent.noteError(told);
        throw told;
      }
    });
  }
}
