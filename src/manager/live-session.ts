import { setTimeout as delay } from 'node:timers/promises';
import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentConnection } from '../agent-connection.ts';
import type { AgentSession, PromptOptions } from '../agent-session.ts';
import type { AgentClient } from '../client/agent-client.ts';
import type { SwitchableClient } from '../client/switchable-client.ts';
import { deferred } from '../internal/deferred.ts';
import type { ConfigurationFingerprint, LiveSession as LiveSessionFacts } from '../session/decide-session.ts';
import { judgeFirstPrompt, type FirstPromptRejection } from '../session/first-prompt.ts';
import type { ProjectPointer } from '../session/project-pointer.ts';
import type { PromptTurn, TurnOutcome } from '../session/prompt-turn.ts';
import type { ResumeOutcome } from '../session/resume-outcome.ts';
import type { ResumePolicy } from '../session/resume-policy.ts';
import type { SettingChange } from '../session/session-settings.ts';
import { showsWork } from '../session/update-kinds.ts';
import type { UpdatePhase } from '../session/update-delivery.ts';
import type { ManagerEventSource } from './manager-events.ts';

/** What a live session needs of its project. */
export interface LiveSessionOwner {
  readonly projectId: string;
  readonly events: ManagerEventSource;
  readonly policy: ResumePolicy;
  readonly pointer: ProjectPointer;
  /** Whether a prompt waits for the running turn. */
  promptsWait(): boolean;
  turnStarted(): void;
  turnEnded(outcome: TurnOutcome): void;
  settingChanged(live: LiveSession, change: SettingChange): void;
  /** The agent ignored a cancel: it is spoiled. */
  cancelIgnored(live: LiveSession): void;
  sessionEnded(live: LiveSession): void;
  /** The caller closes the session. */
  closeSession(live: LiveSession): Promise<unknown>;
}

/** What stderr says of an error may be read a moment after it. */
const stderrDelayMs = 50;

/** The session that serves a project: what is known of it besides the session itself, and its events. */
export class LiveSession {
  readonly session: AgentSession;
  readonly clients: SwitchableClient;
  /** What the agent was started with, or switched to since. */
  fingerprint: ConfigurationFingerprint;
  /** It is being stopped, or was replaced. */
  isStopping = false;
  /** Its agent is being switched or replaced: no prompt may be sent to it meanwhile. */
  isChanging = false;
  readonly #owner: LiveSessionOwner;
  readonly #generation: number;
  readonly #firstTurn = deferred<FirstPromptRejection | undefined>();
  #isPrompted: boolean;
  #isSpoiled = false;
  #isRemembered = false;
  /** The running turn brought something that the agent worked on. */
  #worked = false;
  /** The running turn has brought an update. */
  #isHeard = false;
  /** What the last turn says about the session is being found out. */
  #judging: Promise<void> = Promise.resolve();

  constructor(
    owner: LiveSessionOwner,
    session: AgentSession,
    clients: SwitchableClient,
    fingerprint: ConfigurationFingerprint,
  ) {
    this.#owner = owner;
    this.session = session;
    this.clients = clients;
    this.fingerprint = fingerprint;
    this.#generation = owner.pointer.generation;
    this.#isPrompted = session.resume.status === 'resumed';
    this.#subscribe();
  }

  get connection(): AgentConnection {
    return this.session.connection;
  }

  get isHealthy(): boolean {
    return this.connection.alive && !this.#isSpoiled && !this.isStopping;
  }

  get isTurnActive(): boolean {
    const { activeTurn } = this.session;
    return activeTurn !== undefined && activeTurn.state !== 'settled';
  }

  /** Whether the agent accepted to resume it, and nothing else shows yet that it has it. */
  get isUnproven(): boolean {
    return this.session.resume.status === 'resumed' && this.session.turnCount === 0;
  }

  /** Resolves with the first sign of the first turn: what proves that the agent does not know the session, or nothing. */
  get firstTurn(): Promise<FirstPromptRejection | undefined> {
    return this.#firstTurn.promise;
  }

  /** What decides whether it serves a request. */
  describe(): LiveSessionFacts {
    const { resume, sessionId, cwd } = this.session;
    return {
      sessionId,
      ...('requestedSessionId' in resume ? { standsInFor: resume.requestedSessionId } : {}),
      cwd,
      agentId: this.connection.agentId,
      begunAnew:
        resume.status === 'fresh' &&
        (resume.reason === 'new-session-asked' || resume.reason === 'never-prompted'),
      fingerprint: this.fingerprint,
      healthy: this.isHealthy,
      turnActive: this.isTurnActive,
      prompted: this.#isPrompted,
    };
  }

  /** Starts a turn, during which the agent talks to this client. */
  prompt(content: string | readonly ContentBlock[], options: PromptOptions, client: AgentClient): PromptTurn {
    this.useWhenIdle(client);
    const turn = this.session.prompt(content, options);
    if (turn.state === 'queued') turn.on('start', () => this.clients.use(client));
    return turn;
  }

  /** Uses this client, unless a turn runs, which goes on with its own. */
  useWhenIdle(client: AgentClient): void {
    if (!this.isTurnActive) this.clients.use(client);
  }

  /** Resolves when it is known, and written down, what the turns so far mean for the conversation. */
  async settled(): Promise<void> {
    await this.#judging;
    await this.#owner.pointer.settled();
  }

  #subscribe(): void {
    const { session } = this;
    const { projectId, events } = this.#owner;
    session.promptsWait = () => this.#owner.promptsWait();
    session.closeOwner = () => this.#owner.closeSession(this);
    session.on('update', (update, { phase }) => this.#onUpdate(update, phase));
    session.on('turn-start', (turn) => this.#onTurnStart(turn));
    session.on('client-requests', (open) => {
      // An agent that asks for something within a turn has begun to work on it.
      if (open > 0 && this.isTurnActive) this.#noteWork();
    });
    session.on('setting', (change) => this.#owner.settingChanged(this, change));
    session.on('cancel-ignored', () => {
      this.#isSpoiled = true;
      this.#owner.cancelIgnored(this);
    });
    session.on('listener-error', (error) => events.emit('listener-error', { error }));
    session.on('close', () => {
      // Not before it is known why the first turn failed.
      void this.#judging.then(() => this.#firstTurn.resolve(undefined));
      events.emit('session-close', { projectId, session });
      this.#owner.sessionEnded(this);
    });
  }

  #onUpdate(update: SessionUpdate, phase: UpdatePhase): void {
    const { projectId, events } = this.#owner;
    if (phase === 'turn') {
      if (showsWork(update)) this.#noteWork();
      // Where the store fails, it is not asked again at each update.
      if (!this.#isHeard) this.#remember();
      this.#isHeard = true;
    }
    events.emit('session-update', { projectId, session: this.session, update, phase });
  }

  #noteWork(): void {
    if (this.#worked) return;
    this.#worked = true;
    this.#firstTurn.resolve(undefined);
  }

  #onTurnStart(turn: PromptTurn): void {
    const { projectId, events } = this.#owner;
    const { session } = this;
    const isFirst = session.turnCount === 1;
    this.#worked = false;
    this.#isHeard = false;
    this.#owner.turnStarted();
    events.emit('turn-start', { projectId, session, turn });
    turn.on('end', (outcome) => {
      const worked = this.#worked;
      this.#owner.turnEnded(outcome);
      events.emit('turn-end', { projectId, session, turn });
      this.#judging = this.#judge(turn, outcome, { isFirst, worked });
    });
  }

  async #judge(
    turn: PromptTurn,
    outcome: TurnOutcome,
    { isFirst, worked }: { readonly isFirst: boolean; readonly worked: boolean },
  ): Promise<void> {
    const isFirstAfterResume = isFirst && this.session.resume.status === 'resumed';
    const rejection =
      'error' in outcome ? await this.#findRejection(outcome.error, worked, isFirstAfterResume) : undefined;
    if (rejection === undefined) this.#remember();
    // It does not exist for the agent: whatever is asked next resumes it anew, or learns that it can't.
    else this.#isSpoiled = true;
    if (isFirst) this.#firstTurn.resolve(rejection);
    const endedWithNothing = 'response' in outcome && !worked && outcome.response.stopReason !== 'cancelled';
    if (isFirstAfterResume && endedWithNothing) {
      const { projectId, events } = this.#owner;
      events.emit('resume-suspect', { projectId, session: this.session, turn });
    }
  }

  /** Whether the error of a turn proves that the agent does not know the session. */
  async #findRejection(
    error: unknown,
    worked: boolean,
    isFirstAfterResume: boolean,
  ): Promise<FirstPromptRejection | undefined> {
    const { policy, events } = this.#owner;
    const { session } = this;
    const judge = (doubt = session.doubt) =>
      judgeFirstPrompt({ sessionId: session.sessionId, error, worked, doubt }, policy);
    try {
      const rejection = judge();
      if (rejection !== undefined || worked || !isFirstAfterResume || this.isStopping) return rejection;
      await delay(stderrDelayMs);
      return session.doubt === undefined ? undefined : judge();
    } catch (failure) {
      events.emit('listener-error', { error: failure });
      return undefined;
    }
  }

  /** Writes the pointer down, once: the agent knows the conversation from now on. */
  #remember(): void {
    this.#isPrompted = true;
    if (this.#isRemembered) return;
    this.#isRemembered = true;
    const { projectId, events, pointer } = this.#owner;
    const { sessionId, cwd, resume } = this.session;
    const now = { sessionId, cwd, agentId: this.connection.agentId };
    pointer.write(now, replacedBy(resume), this.#generation, lostBy(resume)).catch((error: unknown) => {
      // It is tried again at the end of the turn, or in the next one.
      this.#isRemembered = false;
      events.emit('store-error', { projectId, error });
    });
  }
}

/** The session that could not be continued, and that this one serves in its place. */
function lostBy(resume: ResumeOutcome): readonly string[] {
  return 'requestedSessionId' in resume ? [resume.requestedSessionId] : [];
}

/** The sessions that one with this outcome replaces. One that was never prompted is nothing to go back to. */
function replacedBy(resume: ResumeOutcome): readonly string[] {
  switch (resume.status) {
    case 'resumed':
      return [];
    case 'ignored':
    case 'fell-back':
      return [resume.requestedSessionId];
    case 'fresh': {
      const { reason, previousSessionId } = resume;
      return previousSessionId === undefined || reason === 'never-prompted' ? [] : [previousSessionId];
    }
  }
}
