import type {
  ContentBlock,
  SessionNotification,
  SetSessionConfigOptionResponse,
  ToolCall,
} from '@agentclientprotocol/sdk';
import type { AgentConnection } from './agent-connection.ts';
import type { AgentClient } from './client/agent-client.ts';
import type { LauncherLimits } from './config/launcher-options.ts';
import { AcpLauncherError } from './errors/acp-launcher-error.ts';
import type { ResumeEvidence } from './errors/resume-failed-error.ts';
import { settledWithin } from './internal/deadline.ts';
import { deferred } from './internal/deferred.ts';
import { isAdvertised } from './session/advertised.ts';
import { createTurn } from './session/create-turn.ts';
import { PromptQueue } from './session/prompt-queue.ts';
import type { PromptOptions } from './session/prompt-request.ts';
import type { PromptTurn } from './session/prompt-turn.ts';
import { checkRequestOptions, type RequestOptions } from './session/request-options.ts';
import type { ResumeOutcome } from './session/resume-outcome.ts';
import type { SessionEvents } from './session/session-events.ts';
import { configOptionParams, modeParams } from './session/session-settings.ts';
import { withConfigOptions, withMode, type SessionState } from './session/session-state.ts';
import { SessionUpdates } from './session/session-updates.ts';
import { TypedEvents } from './session/typed-events.ts';
import { updateContexts } from './session/update-delivery.ts';
import type { AgentWire } from './wire/agent-wire.ts';

export type { PromptOptions } from './session/prompt-request.ts';
export type { SessionEvents } from './session/session-events.ts';

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
  /** @internal Called at the first update that shows that the agent works on the first turn. */
  onFirstTurnUpdate: () => void = () => undefined;
  /** @internal Whether prompts that are not bound to the session yet wait for its running turn. */
  promptsWait: () => boolean = () => false;
  #resume: ResumeOutcome = { status: 'fresh' };
  #closing: Promise<void> | undefined;
  #turnCount = 0;
  readonly #parts: SessionParts;
  readonly #events: TypedEvents<SessionEvents>;
  readonly #queue: PromptQueue;
  readonly #updates: SessionUpdates;
  readonly #closed = deferred<void>();

  /** @internal Sessions are opened by a launcher, a connection or a manager. */
  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.sessionId = parts.sessionId;
    this.cwd = parts.cwd;
    this.connection = parts.connection;
    this.closed = this.#closed.promise;
    this.#events = new TypedEvents<SessionEvents>((event, error) => {
      if (event !== 'listener-error') this.#listenerFailed(error);
    });
    this.#queue = new PromptQueue(parts.limits.maxQueuedPrompts);
    this.#updates = new SessionUpdates({
      ...parts,
      queue: this.#queue,
      onUpdate: (update, phase) => this.#events.emit('update', update, updateContexts[phase]),
      onStalled: () => this.#events.emit('stalled'),
      onFirstTurnUpdate: () => this.onFirstTurnUpdate(),
      onError: (error) => this.#listenerFailed(error),
    });
  }

  /** Whether this session continues an earlier one, and how that is known. */
  get resume(): ResumeOutcome {
    return this.#resume;
  }

  /** Modes, config options, commands, plan, usage and title, as far as the agent has said. A new object on change. */
  get state(): SessionState {
    return this.#updates.state;
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
    const { wire, cancelClientRequests } = this.#parts;
    const side = {
      cancelClientRequests,
      dequeue: (waiting: PromptTurn) => this.#queue.remove(waiting),
      cancelIgnored: (ended: PromptTurn) => this.#events.emit('cancel-ignored', ended),
      started: (started: PromptTurn) => {
        this.#turnCount += 1;
        this.#events.emit('turn-start', started);
      },
      settled: (settled: PromptTurn) => {
        this.connection.turnEnded();
        this.#events.emit('turn-end', settled);
      },
      endIsAwaited: () => this.#queue.hasWaiting || this.promptsWait(),
      listenerFailed: (error: unknown) => this.#listenerFailed(error),
    };
    const { promptCapabilities } = this.connection.agentCapabilities;
    const endError = this.#closing !== undefined || wire.ended ? this.#endError() : undefined;
    const turn = createTurn({ ...this.#parts, promptCapabilities, endError, side }, content, options);
    if (turn.state === 'queued') this.#queue.add(turn);
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
  async setMode(modeId: string, options: RequestOptions = {}): Promise<void> {
    const params = modeParams(this.state, this.sessionId, modeId);
    await this.#set('session/set_mode', params, options);
    this.#updates.state = withMode(this.state, modeId);
    this.#events.emit('setting', { modeId });
  }

  /**
   * `session/set_config_option`.
   *
   * @throws AcpLauncherError `capability-missing` when the agent does not offer this option.
   */
  async setConfigOption(
    configId: string,
    value: string | boolean,
    options: RequestOptions = {},
  ): Promise<void> {
    const params = configOptionParams(this.state, this.sessionId, configId, value);
    const response = await this.#set('session/set_config_option', params, options);
    const { configOptions } = (response ?? {}) as Partial<SetSessionConfigOptionResponse>;
    this.#updates.state = withConfigOptions(this.state, configOptions);
    this.#events.emit('setting', { configId, value });
  }

  /**
   * Ends the session: running and queued prompts reject with `closed`, the agent is told, and whatever the session
   * owns ends with it (the agent, when `launch` opened it). Idempotent, legal in every state, never hangs.
   *
   * @throws AcpLauncherError `shutdown-incomplete` when a process of the agent survived every signal.
   */
  async close(): Promise<void> {
    const report = (await this.closeOwner()) as { readonly survivors?: readonly number[] } | undefined;
    const survivors = report?.survivors ?? [];
    if (survivors.length === 0) return;
    const message = `processes of the agent survived every signal: ${survivors.join(', ')}`;
    throw new AcpLauncherError('shutdown-incomplete', message, { phase: 'shutdown', survivors });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal Ends this session alone. */
  closeSession(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** @internal It was not opened after all, or another session has taken its place: the agent is not told. */
  detach(): void {
    this.#closing ??= this.#end();
  }

  /** @internal */
  setResume(resume: ResumeOutcome): void {
    this.#resume = resume;
  }

  /** @internal The opening request was answered. */
  answered(result: unknown): void {
    this.#updates.answered(result);
  }

  /** @internal */
  receive(notification: SessionNotification, size: number): void {
    this.#updates.receive(notification, size);
  }

  /** @internal A tool call of the running turn, as far as the agent has described it. */
  toolCall(toolCallId: string): ToolCall | undefined {
    return this.#queue.active?.toolCallSoFar(toolCallId);
  }

  /** @internal The turn is being ended, or the session is: no decision of the client is wanted any more. */
  get ending(): boolean {
    return this.#closing !== undefined || this.#queue.active?.ending === true;
  }

  /** @internal The number of requests of the agent that wait for the client. */
  clientRequestsOpen(count: number): void {
    this.#queue.hold('client', count > 0);
    this.#events.emit('client-requests', count);
  }

  #listenerFailed(error: unknown): void {
    this.#events.emit('listener-error', error);
  }

  async #close(): Promise<void> {
    const { limits, wire } = this.#parts;
    const wasRunning = this.#queue.active !== undefined;
    const answered = this.#queue.closeAll(this.#endError());
    if (wasRunning && !wire.ended) await settledWithin(answered, limits.closeSessionTimeoutMs);
    if (isAdvertised('session/close', this.connection.agentCapabilities) && !wire.ended) {
      const params = { sessionId: this.sessionId };
      // Best effort: an agent that refuses or ignores it must not hold the way out (B69).
      await this.#request('session/close', params, limits.closeSessionTimeoutMs).catch(() => undefined);
    }
    await this.#end();
  }

  async #end(): Promise<void> {
    void this.#queue.closeAll(this.#endError());
    this.#parts.cancelClientRequests();
    this.#updates.close();
    this.#parts.onClosed(this);
    const ended = Promise.resolve().then(() => this.#parts.client.closeSession?.(this.sessionId));
    ended.catch((error: unknown) => this.#listenerFailed(error));
    await settledWithin(ended, this.#parts.limits.closeSessionTimeoutMs);
    this.#events.emit('close');
    this.#events.removeAllListeners();
    this.#closed.resolve();
  }

  #set(method: string, params: object, options: RequestOptions): Promise<unknown> {
    checkRequestOptions(options);
    if (this.#closing !== undefined) throw this.#endError();
    return this.#request(method, params, this.#parts.limits.requestTimeoutMs, options.signal);
  }

  #request(method: string, params: object, timeoutMs: number, signal?: AbortSignal): Promise<unknown> {
    const { sessionId } = this;
    return this.#parts.wire.request({ phase: 'session', method, params, timeoutMs, signal, sessionId });
  }

  /** What a prompt meets when the session has ended: the end of the agent, where that is the reason. */
  #endError(): AcpLauncherError {
    const { sessionId } = this;
    return (
      this.#parts.wire.endError({ phase: 'prompt', method: 'session/prompt', sessionId }) ??
      new AcpLauncherError('closed', 'the session was closed', { phase: 'shutdown', sessionId })
    );
  }
}
