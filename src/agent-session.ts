import type {
  ContentBlock,
  SessionNotification,
  SessionUpdate,
  SetSessionConfigOptionResponse,
} from '@agentclientprotocol/sdk';
import type { AgentConnection } from './agent-connection.ts';
import type { AgentClient } from './client/agent-client.ts';
import type { LauncherLimits } from './config/launcher-options.ts';
import { AcpLauncherError } from './errors/acp-launcher-error.ts';
import type { ResumeEvidence } from './errors/resume-failed-error.ts';
import { settledWithin } from './internal/deadline.ts';
import type { QueueLimits } from './session/bounded-queue.ts';
import { promptContent } from './session/prompt-content.ts';
import { PromptQueue } from './session/prompt-queue.ts';
import { PromptTurn } from './session/prompt-turn.ts';
import type { ResumeOutcome } from './session/resume-outcome.ts';
import type { SettingChange } from './session/session-settings.ts';
import { applyUpdate, stateFromResponse, withMode, type SessionState } from './session/session-state.ts';
import { TypedEvents } from './session/typed-events.ts';
import { createTurnPort } from './session/turn-port.ts';
import { createDelivery, type UpdateDelivery, type UpdatePhase } from './session/update-delivery.ts';
import type { AgentWire } from './wire/agent-wire.ts';

/** What a prompt may carry besides its content. */
export interface PromptOptions {
  /** Aborting it cancels the turn; the result is then a cancelled turn, not an error. */
  readonly signal?: AbortSignal | undefined;
  /** Travels as `_meta.request_id`. */
  readonly requestId?: string | undefined;
  /** Merged into the prompt's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Overrides for this one turn, in milliseconds. */
  readonly promptTimeoutMs?: number | undefined;
  readonly promptIdleTimeoutMs?: number | undefined;
}

export type SessionEvents = {
  'turn-start': readonly [turn: PromptTurn];
  /** After the turn's own `end`. */
  'turn-end': readonly [turn: PromptTurn];
  /** Every update, in the order of arrival, before the turn's own listeners see it. */
  update: readonly [update: SessionUpdate, context: { readonly phase: UpdatePhase }];
  /** The agent ignored a cancel; the turn was settled without it, and the agent should be replaced. */
  'cancel-ignored': readonly [turn: PromptTurn];
  /** A mode or an option was set by the caller. */
  setting: readonly [change: SettingChange];
  /** A handler or listener of the caller threw. */
  'listener-error': readonly [error: unknown];
  close: readonly [];
};

/** @internal What a session is made of. */
export interface SessionParts {
  readonly connection: AgentConnection;
  readonly wire: AgentWire;
  readonly client: AgentClient;
  readonly limits: LauncherLimits;
  readonly sessionId: string;
  readonly cwd: string;
  readonly cancelClientRequests: () => void;
  readonly onClosed: (session: AgentSession) => void;
  /** Whether history is being replayed until the opening request is answered. */
  readonly replaying: boolean;
}

/**
 * One session of an agent: prompts in order, updates in the order of arrival, and what is currently true of it.
 *
 * @see https://agentclientprotocol.com/protocol/v1/session-setup
 */
export class AgentSession implements AsyncDisposable {
  readonly sessionId: string;
  /** The canonical working directory. */
  readonly cwd: string;
  /** The agent that runs this session. */
  readonly connection: AgentConnection;
  /** Resolves when the session has ended, one way or the other. */
  readonly closed: Promise<void>;
  /** @internal Ends what the session owns besides itself: the agent, for a session that `launch` opened. */
  closeOwner: () => Promise<unknown> = () => this.closeSession();
  /** @internal What stderr said against this session before its first update. */
  doubt: ResumeEvidence | undefined;
  /** @internal Called at the first update of the first turn. */
  onFirstTurnUpdate: () => void = () => undefined;
  #resume: ResumeOutcome = { status: 'fresh' };
  #state: SessionState = {};
  #replaying: boolean;
  #closing: Promise<void> | undefined;
  #turnUpdates = 0;
  #turnCount = 0;
  readonly #parts: SessionParts;
  readonly #events: TypedEvents<SessionEvents>;
  readonly #queue: PromptQueue;
  readonly #delivery: UpdateDelivery | undefined;
  readonly #queueLimits: QueueLimits;
  #resolveClosed!: () => void;

  /** @internal Sessions are opened by a launcher, a connection or a manager. */
  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.sessionId = parts.sessionId;
    this.cwd = parts.cwd;
    this.connection = parts.connection;
    this.#replaying = parts.replaying;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#events = new TypedEvents<SessionEvents>((event, error) => {
      if (event !== 'listener-error') this.#events.emit('listener-error', error);
    });
    const { maxBufferedBytes, maxBufferedHardBytes } = parts.limits;
    this.#queueLimits = { softBytes: maxBufferedBytes, hardBytes: maxBufferedHardBytes };
    this.#queue = new PromptQueue(parts.limits.maxQueuedPrompts);
    this.#delivery = createDelivery(parts.client, parts.wire, this.#queueLimits, {
      onOverflow: (error) => this.#queue.active?.fail(error),
      onError: (error) => this.#events.emit('listener-error', error),
    });
  }

  /** Whether this session continues an earlier one, and how that is known. */
  get resume(): ResumeOutcome {
    return this.#resume;
  }

  /** Modes, config options, commands, plan, usage and title, as far as the agent has said. A new object on change. */
  get state(): SessionState {
    return this.#state;
  }

  /** The turns that were started in this session, by this process. */
  get turnCount(): number {
    return this.#turnCount;
  }

  /** The turn that is running or cancelling. */
  get activeTurn(): PromptTurn | undefined {
    return this.#queue.active;
  }

  /** Calls `listener` on each event; returns what removes it. A listener that throws breaks nothing. */
  on<Name extends keyof SessionEvents>(
    name: Name,
    listener: (...values: SessionEvents[Name]) => unknown,
  ): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * Starts a prompt turn, or queues it behind the ones before it. Never throws: what is wrong, with the content or
   * with the session, is what the turn's `result` rejects with.
   */
  prompt(content: string | readonly ContentBlock[], options: PromptOptions = {}): PromptTurn {
    const { limits } = this.#parts;
    const params = { sessionId: this.sessionId, prompt: [] as ContentBlock[], ...promptMeta(options) };
    const port = createTurnPort(this.#parts.wire, params, {
      cancelClientRequests: this.#parts.cancelClientRequests,
      dequeue: (waiting) => this.#queue.remove(waiting),
      cancelIgnored: (ended) => this.#events.emit('cancel-ignored', ended),
      started: (started) => {
        this.#turnCount += 1;
        this.#events.emit('turn-start', started);
      },
      settled: (settled) => {
        this.connection.turnEnded();
        this.#events.emit('turn-end', settled);
      },
    });
    const turn = new PromptTurn(port, {
      limits: this.#queueLimits,
      timeouts: {
        promptTimeoutMs: options.promptTimeoutMs ?? limits.promptTimeoutMs,
        promptIdleTimeoutMs: options.promptIdleTimeoutMs ?? limits.promptIdleTimeoutMs,
        cancelTimeoutMs: limits.cancelTimeoutMs,
      },
      drainMs: limits.drainMs,
      signal: options.signal,
    });
    try {
      this.#assertOpen('session/prompt');
      params.prompt = promptContent(content, this.connection.agentCapabilities.promptCapabilities);
      this.#queue.add(turn);
    } catch (error) {
      turn.fail(error as AcpLauncherError);
    }
    return turn;
  }

  /** Ends the running turn, if there is one; queued prompts follow. Resolves when it has settled. Never rejects. */
  async cancel(): Promise<void> {
    await this.#queue.active?.cancel();
  }

  /**
   * `session/set_mode`.
   *
   * @throws AcpLauncherError `capability-missing` when the agent offers no modes, or not this one.
   */
  async setMode(modeId: string): Promise<void> {
    const offered = this.#state.modes?.availableModes.map((mode) => mode.id) ?? [];
    this.#assertOffered('mode', modeId, offered);
    await this.#request('session/set_mode', { sessionId: this.sessionId, modeId });
    this.#state = withMode(this.#state, modeId);
    this.#events.emit('setting', { modeId });
  }

  /**
   * `session/set_config_option`.
   *
   * @throws AcpLauncherError `capability-missing` when the agent does not offer this option.
   */
  async setConfigOption(configId: string, value: string | boolean): Promise<void> {
    const offered = this.#state.configOptions?.map((option) => option.id) ?? [];
    this.#assertOffered('config option', configId, offered);
    const typed = typeof value === 'boolean' ? { type: 'boolean' as const, value } : { value };
    const params = { sessionId: this.sessionId, configId, ...typed };
    const response = await this.#request<SetSessionConfigOptionResponse | null>(
      'session/set_config_option',
      params,
    );
    if (Array.isArray(response?.configOptions))
      this.#state = { ...this.#state, configOptions: response.configOptions };
    this.#events.emit('setting', { configId, value });
  }

  /**
   * Ends the session: running and queued prompts reject with `closed`, the agent is told, and whatever the session
   * owns ends with it (the agent, when `launch` opened it). Idempotent, legal in every state, never hangs.
   */
  close(): Promise<void> {
    return this.closeOwner() as Promise<void>;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal Ends this session alone. */
  closeSession(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** @internal The agent is gone: everything pending has the connection's own error by now. */
  detach(): void {
    this.#closing ??= this.#end();
  }

  /** @internal */
  setResume(resume: ResumeOutcome): void {
    this.#resume = resume;
  }

  /** @internal The opening request was answered: history is over, what comes now is live. */
  answered(result: unknown): void {
    this.#replaying = false;
    this.#state = { ...this.#state, ...stateFromResponse(result) };
  }

  /** @internal */
  receive(notification: SessionNotification, size: number): void {
    const { update } = notification;
    const turn = this.#queue.active?.acceptsUpdates === true ? this.#queue.active : undefined;
    const phase = this.#replaying ? 'replay' : turn === undefined ? 'outside' : 'turn';
    this.#state = applyUpdate(this.#state, update);
    this.#events.emit('update', update, { phase });
    this.#delivery?.push(notification, phase, size);
    if (phase !== 'turn') return;
    this.#turnUpdates += 1;
    if (this.#turnUpdates === 1) this.onFirstTurnUpdate();
    turn?.receive(update, size);
  }

  /** @internal The number of requests of the agent that wait for the client. */
  clientRequestsOpen(count: number): void {
    this.#queue.active?.agentWaits(count > 0);
  }

  async #close(): Promise<void> {
    const { limits, wire } = this.#parts;
    const active = this.#queue.active;
    const closed = new AcpLauncherError('closed', 'the session was closed', {
      phase: 'shutdown',
      sessionId: this.sessionId,
    });
    const answered = this.#queue.closeAll(closed);
    if (wire.endError({ phase: 'shutdown', method: 'session/close' }) === undefined) {
      if (active !== undefined) await settledWithin(answered, limits.closeSessionTimeoutMs);
      if (this.connection.agentCapabilities.sessionCapabilities?.close != null) {
        const params = { sessionId: this.sessionId };
        // Best effort: an agent that refuses or ignores it must not hold the way out (B69).
        await this.#request('session/close', params, limits.closeSessionTimeoutMs).catch(() => undefined);
      }
    }
    await this.#end();
  }

  async #end(): Promise<void> {
    void this.#queue.closeAll(
      this.#parts.wire.endError({ phase: 'prompt', method: 'session/prompt', sessionId: this.sessionId }) ??
        new AcpLauncherError('closed', 'the session was closed', {
          phase: 'shutdown',
          sessionId: this.sessionId,
        }),
    );
    this.#parts.cancelClientRequests();
    this.#delivery?.close();
    this.#parts.onClosed(this);
    const ended = Promise.resolve().then(() => this.#parts.client.closeSession?.(this.sessionId));
    await settledWithin(ended, this.#parts.limits.closeSessionTimeoutMs);
    this.#events.emit('close');
    this.#resolveClosed();
  }

  #request<Response>(
    method: string,
    params: object,
    timeoutMs = this.#parts.limits.requestTimeoutMs,
  ): Promise<Response> {
    return this.#parts.wire.request<Response>({
      phase: 'session',
      method,
      params,
      timeoutMs,
      sessionId: this.sessionId,
    });
  }

  #assertOpen(method: string): void {
    const place = { phase: 'prompt', method, sessionId: this.sessionId } as const;
    const ended = this.#parts.wire.endError(place);
    if (ended !== undefined) throw ended;
    if (this.#closing !== undefined) throw new AcpLauncherError('closed', 'the session is closed', place);
  }

  #assertOffered(what: string, id: string, offered: readonly string[]): void {
    if (offered.includes(id)) return;
    const list = offered.length === 0 ? `it offers no ${what}s` : `it offers ${offered.join(', ')}`;
    const message = `the agent does not offer the ${what} ${JSON.stringify(id)}; ${list}`;
    throw new AcpLauncherError('capability-missing', message, {
      phase: 'session',
      sessionId: this.sessionId,
    });
  }
}

function promptMeta({ requestId, meta }: PromptOptions): { _meta?: Record<string, unknown> } {
  const merged = { ...meta, ...(requestId === undefined ? {} : { request_id: requestId }) };
  return Object.keys(merged).length === 0 ? {} : { _meta: merged };
}
