import type { AgentConnection } from './agent-connection.ts';
import type { AgentLauncher } from './agent-launcher.ts';
import type { LaunchPlan } from './launch-plan.ts';
import type { AgentSession } from './agent-session.ts';
import type { AgentClient } from './client/agent-client.ts';
import { switchableClient } from './client/switchable-client.ts';
import type { AgentStartConfig } from './config/agent-start-config.ts';
import type { ManagerLimits } from './config/manager-options.ts';
import type { ModelProviderConfig } from './config/model-provider.ts';
import { AcpLauncherError } from './errors/acp-launcher-error.ts';
import type { ResumeEvidence } from './errors/resume-failed-error.ts';
import { abortableDelay } from './internal/deadline.ts';
import type { ManagerEventSource, SessionAction } from './manager-events.ts';
import { openWithResume } from './open-with-resume.ts';
import { allowStart } from './session/crash-budget.ts';
import type { ConfigurationFingerprint, LiveSession, SessionDecision } from './session/decide-session.ts';
import type { PromptTurn } from './session/prompt-turn.ts';
import type { ResumePolicy } from './session/resume-policy.ts';
import { nextPointer, type PointerStore, type StoredPointer } from './session/session-store.ts';
import {
  applySetting,
  restoreSettings,
  switchModel,
  type SessionSettings,
} from './session/session-settings.ts';

/** What a manager's projects have in common. */
export interface ManagedContext {
  readonly launcher: AgentLauncher;
  readonly policy: ResumePolicy;
  readonly pointers: PointerStore;
  readonly limits: ManagerLimits;
  readonly events: ManagerEventSource;
  /** Runs a launch when a place is free. */
  startSlot<Result>(projectId: string, work: () => Promise<Result>, signal: AbortSignal): Promise<Result>;
  /** Told of every session id that is seen, so that one can't be used for another project. */
  remember(sessionId: string, projectId: string, cwd: string): void;
}

/** One request, ready to be carried out. */
export interface PlannedRequest {
  readonly plan: LaunchPlan;
  readonly path: string;
  readonly config: AgentStartConfig;
  readonly modelProvider: ModelProviderConfig | undefined;
  readonly fingerprint: ConfigurationFingerprint;
  readonly client: AgentClient;
}

interface Live {
  readonly session: AgentSession;
  readonly connection: AgentConnection;
  readonly useClient: (client: AgentClient) => void;
  fingerprint: ConfigurationFingerprint;
  prompted: boolean;
  /** The agent ignored a cancel: it is replaced before anything else is asked of it. */
  dirty: boolean;
  closing: boolean;
}

/** One project: its live session, its agent, and what is remembered of it. All changes run one after another. */
export class ManagedProject {
  readonly projectId: string;
  readonly #context: ManagedContext;
  #live: Live | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  /** Rises with `forget`: what was in flight then must not bring the pointer back. */
  #generation = 0;
  #settings: SessionSettings = { configOptions: {} };
  #crashTimes: number[] = [];
  #idleTimer: NodeJS.Timeout | undefined;
  #starting: AbortController | undefined;
  #turns = 0;
  #lastUsedAt = Date.now();
  #lastErrorCode: string | undefined;

  constructor(projectId: string, context: ManagedContext) {
    this.projectId = projectId;
    this.#context = context;
  }

  get session(): AgentSession | undefined {
    return this.#live?.session;
  }

  /** The live session, as far as it decides what serves a request. */
  describeLive(): LiveSession | undefined {
    const live = this.#live;
    if (live === undefined) return undefined;
    const { session, connection, fingerprint, prompted, dirty } = live;
    const { resume } = session;
    return {
      sessionId: session.sessionId,
      ...('requestedSessionId' in resume ? { standsInFor: resume.requestedSessionId } : {}),
      cwd: session.cwd,
      fingerprint,
      healthy: connection.alive && !dirty,
      turnActive: session.activeTurn !== undefined,
      prompted,
    };
  }

  /** Runs `work` after everything that was asked of this project before. */
  enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(work, work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** Carries a decision out. Must run within {@link enqueue}. */
  async carryOut(
    decision: Exclude<SessionDecision, { action: 'refuse' }>,
    request: PlannedRequest,
    stored: StoredPointer,
    signal: AbortSignal,
  ): Promise<{ session: AgentSession; action: SessionAction }> {
    this.#touch();
    const live = this.#live;
    const wasHealthy = this.describeLive()?.healthy === true;
    if (decision.action !== 'open' && live !== undefined) {
      live.useClient(request.client);
      if (decision.action === 'reuse') return { session: live.session, action: 'reused' };
      const switched = await switchModel(live.session, request.modelProvider?.defaultModel);
      if (switched) {
        live.fingerprint = request.fingerprint;
        return { session: live.session, action: 'model-switched' };
      }
    }
    const resume =
      decision.action === 'open'
        ? decision.resumeSessionId
        : live?.prompted === true
          ? live.session.sessionId
          : undefined;
    await this.#stopLive();
    const config = resume === undefined ? request.config.withoutResume() : request.config.withResume(resume);
    const session = await this.#open(config, request, stored, signal);
    if (
      session.resume.status === 'fresh' &&
      decision.action === 'open' &&
      decision.resumeSessionId === undefined
    ) {
      const { reason, previousSessionId } = decision;
      session.setResume({
        status: 'fresh',
        ...(reason === undefined ? {} : { reason }),
        ...(previousSessionId === undefined ? {} : { previousSessionId }),
      });
    }
    const action = wasHealthy ? 'replaced' : 'opened';
    this.#announce(session, action);
    return { session, action };
  }

  /**
   * Opens a fresh session in the place of one that turned out not to exist at its first prompt, on the same agent
   * where that still lives.
   */
  async replaceRejected(
    rejected: AgentSession,
    request: PlannedRequest,
    { error, evidence }: { readonly error: AcpLauncherError; readonly evidence: ResumeEvidence },
  ): Promise<AgentSession> {
    const live = this.#live;
    // Another request has replaced it already: its session serves this one too.
    if (live !== undefined && live.session !== rejected) return live.session;
    const stored = await this.#context.pointers.read(this.projectId);
    const session = await this.#openInPlaceOf(rejected, request, stored);
    session.setResume({
      status: 'fell-back',
      requestedSessionId: rejected.sessionId,
      sessionId: session.sessionId,
      kind: 'missing',
      evidence,
      error,
      attempts: 1,
    });
    this.#announce(session, 'opened');
    return session;
  }

  async #openInPlaceOf(
    rejected: AgentSession,
    request: PlannedRequest,
    stored: StoredPointer,
  ): Promise<AgentSession> {
    const { connection } = rejected;
    const config = request.config.withoutResume();
    const kept = this.#context.policy.preserveMcpServers ? config : config.withoutMcpServers();
    const useClient = this.#live?.useClient;
    await rejected.closeSession();
    if (!connection.alive || useClient === undefined) {
      await this.#stopLive();
      return this.#open(kept, request, stored, new AbortController().signal);
    }
    const session = await connection.openSession(kept);
    this.#adopt(session, useClient, request.fingerprint, stored);
    await this.#restore(session);
    return session;
  }

  /** Stops the agent and keeps the conversation for the next request. Idempotent. */
  async stop(): Promise<void> {
    this.#starting?.abort(closedError('the project was stopped'));
    await this.enqueue(() => this.#stopLive());
  }

  /** Stops the agent and drops the conversation. What is in flight can't bring it back. */
  async forget(): Promise<void> {
    this.#generation += 1;
    this.#starting?.abort(closedError('the project was forgotten'));
    await this.enqueue(async () => {
      await this.#stopLive();
      this.#settings = { configOptions: {} };
      await this.#context.pointers.delete(this.projectId);
    });
  }

  noteError(error: unknown): void {
    this.#lastErrorCode = AcpLauncherError.isInstance(error) ? error.code : 'unknown';
  }

  /** Milliseconds since it last did anything, or 0 in the middle of a turn; `undefined` without a live agent. */
  idleMs(now: number): number | undefined {
    if (this.#live === undefined) return undefined;
    return this.#live.session.activeTurn === undefined ? now - this.#lastUsedAt : 0;
  }

  get busy(): boolean {
    return this.#starting !== undefined || this.#live?.session.activeTurn !== undefined;
  }

  snapshot(now: number): ProjectSnapshot {
    const live = this.#live;
    return {
      projectId: this.projectId,
      state:
        this.#starting !== undefined
          ? 'starting'
          : live === undefined
            ? 'stopped'
            : this.busy
              ? 'running'
              : 'idle',
      pid: live?.connection.pid,
      sessionId: live?.session.sessionId,
      resume: live?.session.resume.status,
      idleMs: this.idleMs(now),
      turns: this.#turns,
      lastErrorCode: this.#lastErrorCode,
    };
  }

  async #open(
    config: AgentStartConfig,
    request: PlannedRequest,
    stored: StoredPointer,
    signal: AbortSignal,
  ): Promise<AgentSession> {
    const { launcher, policy, events, limits } = this.#context;
    await this.#awaitCrashBackoff(limits, signal);
    const starting = new AbortController();
    this.#starting = starting;
    const anySignal = AbortSignal.any([signal, starting.signal]);
    const { client, use } = switchableClient(request.client);
    try {
      const session = await this.#context.startSlot(
        this.projectId,
        () =>
          openWithResume({
            connect: () =>
              this.#watch(
                launcher.connect(this.projectId, request.path, request.modelProvider, config, client, {
                  signal: anySignal,
                }),
              ),
            config,
            policy,
            signal: anySignal,
            onAttemptFailed: (error, next) =>
              events.emit('resume-retry', { projectId: this.projectId, error, next }),
          }),
        anySignal,
      );
      this.#adopt(session, use, request.fingerprint, stored);
      await this.#restore(session);
      return session;
    } finally {
      this.#starting = undefined;
    }
  }

  async #watch(connecting: Promise<AgentConnection>): Promise<AgentConnection> {
    const connection = await connecting;
    connection.on('agent-exit', (exit) => {
      const live = this.#live?.connection === connection ? this.#live : undefined;
      const expected = live === undefined || live.closing;
      if (!expected) {
        this.#crashTimes.push(Date.now());
        this.#crashTimes = this.#crashTimes.slice(-this.#context.limits.maxCrashes);
      }
      this.#context.events.emit('agent-exit', {
        projectId: this.projectId,
        pid: connection.pid,
        exit,
        expected,
      });
    });
    return connection;
  }

  #adopt(
    session: AgentSession,
    useClient: (client: AgentClient) => void,
    fingerprint: ConfigurationFingerprint,
    stored: StoredPointer | undefined,
  ): void {
    const { events } = this.#context;
    const { projectId } = this;
    const generation = this.#generation;
    const live: Live = {
      session,
      connection: session.connection,
      useClient,
      fingerprint,
      prompted: session.resume.status === 'resumed',
      dirty: false,
      closing: false,
    };
    this.#live = live;
    this.#context.remember(session.sessionId, projectId, session.cwd);
    session.closeOwner = () => this.stop();
    let pointerWritten = false;
    const writePointer = async () => {
      live.prompted = true;
      if (pointerWritten || generation !== this.#generation) return;
      pointerWritten = true;
      try {
        await this.#writePointer(session, stored);
      } catch (error) {
        pointerWritten = false;
        events.emit('store-error', { projectId, error });
      }
    };
    session.on('update', (update, { phase }) => {
      if (phase === 'turn') void writePointer();
      events.emit('session-update', { projectId, session, update, phase });
    });
    session.on('turn-start', (turn) => {
      this.#turns += 1;
      this.#touch();
      events.emit('turn-start', { projectId, session, turn });
    });
    session.on('turn-end', (turn) => {
      this.#touch();
      void writePointer();
      this.#noteTurn(session, turn);
      events.emit('turn-end', { projectId, session, turn });
    });
    session.on('setting', (change) => {
      this.#settings = applySetting(this.#settings, change);
    });
    session.on('cancel-ignored', () => {
      live.dirty = true;
      void this.stop();
    });
    session.on('listener-error', (error) => events.emit('listener-error', { error }));
    session.on('close', () => events.emit('session-close', { projectId, session }));
  }

  #noteTurn(session: AgentSession, turn: PromptTurn): void {
    const { updates, stopReason } = turn.summary;
    const endedWithNothing = updates === 0 && stopReason !== undefined && stopReason !== 'cancelled';
    if (session.resume.status === 'resumed' && session.turnCount === 1 && endedWithNothing) {
      this.#context.events.emit('resume-suspect', { projectId: this.projectId, session, turn });
    }
  }

  async #writePointer(session: AgentSession, stored: StoredPointer | undefined): Promise<void> {
    const { resume, cwd, sessionId } = session;
    const before = stored?.status === 'found' ? stored.pointer : undefined;
    const lost = [
      ...('requestedSessionId' in resume ? [resume.requestedSessionId] : []),
      ...('previousSessionId' in resume ? [resume.previousSessionId] : []),
    ];
    const now = { sessionId, cwd, agentId: session.connection.agentId };
    await this.#context.pointers.write(this.projectId, nextPointer(before, now, lost));
  }

  async #restore(session: AgentSession): Promise<void> {
    const { events } = this.#context;
    await restoreSettings(session, this.#settings, (setting, error) =>
      events.emit('setting-lost', { projectId: this.projectId, setting, error }),
    );
  }

  #announce(session: AgentSession, action: SessionAction): void {
    const { events } = this.#context;
    const { projectId } = this;
    const { resume } = session;
    events.emit('session-open', { projectId, session, resume, action });
    if (resume.status === 'fell-back' || resume.status === 'ignored') {
      events.emit('resume-fallback', { projectId, session, resume });
    }
  }

  async #stopLive(): Promise<void> {
    const live = this.#live;
    clearTimeout(this.#idleTimer);
    if (live === undefined) return;
    live.closing = true;
    await live.connection.close();
    if (this.#live === live) this.#live = undefined;
  }

  #touch(): void {
    this.#lastUsedAt = Date.now();
    const { idleTimeoutMs } = this.#context.limits;
    clearTimeout(this.#idleTimer);
    if (idleTimeoutMs === 0) return;
    this.#idleTimer = setTimeout(
      () => {
        if (this.busy) this.#touch();
        else void this.stop();
      },
      Math.min(idleTimeoutMs, 2 ** 31 - 1),
    );
    this.#idleTimer.unref();
  }

  async #awaitCrashBackoff(limits: ManagerLimits, signal: AbortSignal): Promise<void> {
    const { maxCrashes, crashWindowMs: windowMs, crashBackoffMs: backoffMs } = limits;
    const allowance = allowStart(this.#crashTimes, Date.now(), { maxCrashes, windowMs, backoffMs });
    if (!allowance.allowed) {
      const message = `the agent of project ${this.projectId} crashed ${maxCrashes} times within ${windowMs} ms; it may be started again in ${allowance.retryAfterMs} ms`;
      throw new AcpLauncherError('crash-budget', message, { phase: 'spawn' });
    }
    if (allowance.waitMs > 0) await abortableDelay(allowance.waitMs, signal);
  }
}

/** What a health endpoint wants to know of a project. */
export interface ProjectSnapshot {
  readonly projectId: string;
  readonly state: 'starting' | 'idle' | 'running' | 'stopped';
  readonly pid: number | undefined;
  readonly sessionId: string | undefined;
  readonly resume: 'fresh' | 'resumed' | 'ignored' | 'fell-back' | undefined;
  readonly idleMs: number | undefined;
  /** Turns that were started since the manager knows the project. */
  readonly turns: number;
  readonly lastErrorCode: string | undefined;
}

function closedError(message: string): AcpLauncherError {
  return new AcpLauncherError('closed', message, { phase: 'shutdown' });
}
