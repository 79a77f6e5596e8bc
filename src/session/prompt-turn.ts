import type { PromptResponse, SessionUpdate, ToolCall } from '@agentclientprotocol/sdk';
import type { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { settledWithin } from '../internal/deadline.ts';
import { deferred } from '../internal/deferred.ts';
import { whenAborted } from '../internal/follow-signals.ts';
import type { TurnOptions } from './prompt-request.ts';
import { invalidPromptResponse, overflowError } from './turn-errors.ts';
import type { TurnEvents, TurnOutcome } from './turn-events.ts';
import type { TurnPort } from './turn-port.ts';
import { TurnRecord, type CancelledOutcome, type TurnSummary } from './turn-record.ts';
import { TurnTimers, type HoldReason } from './turn-timers.ts';
import { TurnUpdates } from './turn-updates.ts';
import { TypedEvents } from './typed-events.ts';

export type { TurnEvents, TurnOutcome } from './turn-events.ts';

/**
 * One prompt turn: an async iterable of its updates, with the result beside it.
 *
 * It is not a thenable, and its updates have one consumer: either iterate it, or read `result`, `text()` or the
 * `update` event. Updates are only kept for an iterator, and bounded. Leaving the iteration early cancels the turn.
 * A `result` that nobody reads is never an unhandled rejection.
 *
 * @see https://agentclientprotocol.com/protocol/v1/prompt-turn
 */
export class PromptTurn implements AsyncIterable<SessionUpdate> {
  readonly #port: TurnPort;
  readonly #signal: AbortSignal | undefined;
  readonly #drainMs: number;
  readonly #events: TypedEvents<TurnEvents>;
  readonly #record = new TurnRecord();
  readonly #updates: TurnUpdates;
  readonly #timers: TurnTimers;
  readonly #result = deferred<PromptResponse>();
  readonly #givenUp = deferred<never>();
  readonly #drained = deferred<void>();
  readonly #stopListening: () => void;
  #state: 'queued' | 'running' | 'settled' = 'queued';
  #startIsTold = false;
  /** An update that arrives now belongs to this turn. */
  #open = false;
  /** The response line was read: for the agent the turn is over, and a cancel would hit the next one. */
  #answered = false;
  /** The agent was told to stop: an `error` is what the turn becomes when it has. */
  #ending: { readonly error?: AcpLauncherError } | undefined;
  #response: PromptResponse | undefined;
  #cancelled: CancelledOutcome | undefined;

  /** @internal Turns are started by {@link AgentSession.prompt}. */
  constructor(port: TurnPort, options: TurnOptions) {
    this.#port = port;
    this.#signal = options.signal;
    this.#drainMs = options.drainMs;
    this.#events = new TypedEvents<TurnEvents>((_event, error) => port.listenerFailed(error));
    this.#timers = new TurnTimers(options.timeouts, {
      onExpired: (what, timeoutMs) => this.fail(port.timeoutError(what, timeoutMs)),
      onCancelIgnored: () => this.#settleUnacknowledged(),
    });
    this.#updates = new TurnUpdates(options.limits, {
      pause: () => {
        this.hold('iterator', true);
        port.pause();
      },
      resume: () => {
        this.hold('iterator', false);
        port.resume();
      },
      overflow: () => this.fail(overflowError(port.sessionId, 'while the iterator stood still')),
      stalled: () => this.#events.emit('stalled'),
      left: () => this.cancel(),
      endIsAwaited: () => port.endIsAwaited(),
    });
    this.#stopListening = whenAborted(options.signal, () => void this.cancel());
  }

  get sessionId(): string {
    return this.#port.sessionId;
  }

  /** `queued`: behind another turn of this session; `running`: sent, not settled; `settled`: over. */
  get state(): 'queued' | 'running' | 'settled' {
    return this.#state;
  }

  /**
   * The agent's `PromptResponse`. A turn that was cancelled resolves with `stopReason: 'cancelled'`, whatever the
   * agent answered (`summary.cancelled` keeps that).
   *
   * @throws AcpLauncherError (as rejection) `request-failed`, `invalid-response`, `agent-exited`, `line-too-long`,
   * `timeout`, `turn-overflow`, `invalid-config`, `unsupported-content`, `queue-full`, `closed`.
   */
  get result(): Promise<PromptResponse> {
    this.#updates.resultWanted();
    return this.#result.promise;
  }

  /** The text of all agent messages, when the turn has ended well. Rejects as {@link result} does. */
  async text(): Promise<string> {
    await this.result;
    return this.#record.text();
  }

  /** The text that has arrived so far; also what is left of a turn that failed. */
  get textSoFar(): string {
    return this.#record.text();
  }

  /** The tool calls in their last known state, when the turn has ended well. Rejects as {@link result} does. */
  async toolCalls(): Promise<ToolCall[]> {
    await this.result;
    return this.#record.toolCalls();
  }

  /** Counts that tell an empty answer from a real one, at any time. */
  get summary(): TurnSummary {
    return { ...this.#record.summary(), stopReason: this.#response?.stopReason, cancelled: this.#cancelled };
  }

  /** Calls `listener` on each event; returns what removes it. A listener that throws breaks nothing. */
  on<Name extends keyof TurnEvents>(
    name: Name,
    listener: (...values: TurnEvents[Name]) => unknown,
  ): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * Ends the turn. Sends one `session/cancel` for a running turn and none for one that the agent has answered; a
   * queued turn is never sent. Resolves when the turn has settled; never rejects.
   */
  async cancel(): Promise<void> {
    if (this.#state === 'queued') this.#settleUnsent();
    else if (this.#answered) this.#drained.resolve();
    else if (this.#state === 'running') this.#end({});
    await this.#result.promise.catch(() => undefined);
  }

  /**
   * Iterates the updates in the order of arrival; throws what {@link result} rejects with, after the last of them.
   *
   * @throws AcpLauncherError `turn-consumed` the second time, or where updates were not kept.
   */
  [Symbol.asyncIterator](): AsyncIterator<SessionUpdate, undefined> {
    return this.#updates.iterate();
  }

  /**
   * @internal Sends the prompt and settles the turn with its outcome. Never rejects; resolves when the agent has
   * answered or was given up, which for an abandoned turn is later than its settling.
   */
  async run(): Promise<void> {
    if (this.#state !== 'queued') return;
    // Before it is sent: an agent may well do something before it reads the cancel.
    if (this.#signal?.aborted === true) {
      this.#settleUnsent();
      return;
    }
    this.#state = 'running';
    this.#open = true;
    this.#timers.start();
    const sent = this.#port.sendPrompt(() => this.#onAnswer());
    // After the prompt, since a listener may cancel at once.
    this.#port.started(this);
    // A moment later still: nobody can listen to the turn before `prompt` has returned it.
    queueMicrotask(() => this.#tellStart());
    try {
      const response = await Promise.race([sent, this.#givenUp.promise]);
      if (this.#drainMs > 0) await settledWithin(this.#drained.promise, this.#drainMs);
      this.#settleResponse(response);
    } catch (error) {
      this.#settleError(error);
    }
  }

  /** @internal Whether an update that arrives now belongs to this turn. */
  get acceptsUpdates(): boolean {
    return this.#open;
  }

  /** @internal */
  receive(update: SessionUpdate, size: number): void {
    this.#tellStart();
    this.#record.add(update);
    this.#timers.activity();
    this.hold('tool-call', this.#record.toolCallInProgress);
    this.#events.emit('update', update);
    this.#updates.add(update, size);
  }

  /** @internal Whether the agent was told to stop, and has not answered. */
  get ending(): boolean {
    return this.#ending !== undefined && !this.#answered;
  }

  /** @internal A tool call of this turn in its last known state. */
  toolCallSoFar(toolCallId: string): ToolCall | undefined {
    return this.#record.toolCall(toolCallId);
  }

  /** @internal Silence is not idleness as long as this holds. */
  hold(reason: HoldReason, held: boolean): void {
    this.#timers.hold(reason, held);
  }

  /** @internal Ends the turn with an error: tells the agent to stop, waits for it within bounds, then rejects. */
  fail(error: AcpLauncherError): void {
    if (this.#state === 'running') this.#end({ error });
    else this.#settle({ error });
  }

  /** @internal Settles at once, without waiting for the agent; with an answer that was read already, where there is one. */
  abandon(error: AcpLauncherError): void {
    if (this.#state === 'settled') return;
    if (this.#answered) return this.#drained.resolve();
    if (this.#ending !== undefined) return this.#settleEnding({ acknowledged: false, error });
    if (this.#state === 'running') this.#port.sendCancel();
    this.#settle({ error });
  }

  #tellStart(): void {
    if (this.#startIsTold) return;
    this.#startIsTold = true;
    this.#events.emit('start');
  }

  #onAnswer(): void {
    this.#answered = true;
    this.#timers.stop();
    if (this.#drainMs === 0 || this.#ending !== undefined) {
      this.#open = false;
      this.#drained.resolve();
    }
  }

  #end(ending: { readonly error?: AcpLauncherError }): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    if (this.#answered) return this.#drained.resolve();
    this.#port.resume();
    this.#port.sendCancel();
    this.#timers.cancelSent();
  }

  #settleResponse(response: PromptResponse | null): void {
    if (this.#ending !== undefined) return this.#settleEnding({ acknowledged: true, response });
    const stopReason: unknown = response?.stopReason;
    if (response !== null && typeof stopReason === 'string') return this.#settle({ response });
    this.#settle({ error: invalidPromptResponse(this.sessionId, this.#port.shown(response)) });
  }

  #settleError(error: unknown): void {
    if (this.#ending === undefined) this.#settle({ error });
    else this.#settleEnding({ acknowledged: this.#answered, error });
  }

  #settleUnsent(): void {
    this.#port.dequeue(this);
    this.#settle({ response: { stopReason: 'cancelled' } });
  }

  #settleUnacknowledged(): void {
    if (this.#state !== 'running') return;
    this.#port.giveUp();
    this.#settleEnding({ acknowledged: false });
    this.#port.cancelIgnored(this);
    this.#givenUp.reject(new Error('given up'));
  }

  #settleEnding(cancelled: CancelledOutcome): void {
    if (this.#state === 'settled') return;
    this.#cancelled = cancelled;
    const error = this.#ending?.error;
    this.#settle(error === undefined ? { response: { stopReason: 'cancelled' } } : { error });
  }

  #settle(outcome: TurnOutcome): void {
    if (this.#state === 'settled') return;
    const wasSent = this.#state === 'running';
    if (wasSent) this.#tellStart();
    this.#state = 'settled';
    this.#open = false;
    this.#timers.stop();
    this.#stopListening();
    if ('response' in outcome) {
      this.#response = outcome.response;
      this.#result.resolve(outcome.response);
    } else {
      this.#result.reject(outcome.error);
    }
    this.#updates.end('error' in outcome ? { error: outcome.error } : {});
    this.#events.emit('end', outcome);
    if (wasSent) this.#port.settled(this);
    this.#events.removeAllListeners();
  }
}
