import type { PromptResponse, SessionUpdate, ToolCall } from '@agentclientprotocol/sdk';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { shown } from '../errors/shown.ts';
import { deferred } from '../internal/deferred.ts';
import { BoundedQueue, type QueueLimits } from './bounded-queue.ts';
import { TurnRecord, type CancelledOutcome, type TurnSummary } from './turn-record.ts';
import { TurnTimers, type TurnTimeouts } from './turn-timers.ts';
import { TypedEvents } from './typed-events.ts';

/** What a turn needs of the session that runs it. */
export interface TurnPort {
  readonly sessionId: string;
  /** Sends the prompt; `onResponse` is called when the response line is read. */
  sendPrompt(onResponse: () => void): Promise<PromptResponse | null>;
  /** Sends `session/cancel` and answers the open requests of the session. */
  sendCancel(): void;
  /** The prompt's answer will come late or never, and no longer matters. */
  giveUp(): void;
  pause(): void;
  resume(): void;
  /** Takes a turn that has not started out of the queue. */
  dequeue(turn: PromptTurn): void;
  /** The agent did not end the turn within `cancelTimeoutMs`. */
  cancelIgnored(turn: PromptTurn): void;
  started(turn: PromptTurn): void;
  settled(turn: PromptTurn): void;
}

export type TurnEvents = {
  /** The prompt was sent. */
  start: readonly [];
  /** An update arrived; in the order of arrival. */
  update: readonly [update: SessionUpdate];
  /** The iterator stands still while the largest number of updates waits for it. */
  stalled: readonly [];
  /** The turn has settled, one way or the other; nothing follows. */
  end: readonly [outcome: { response: PromptResponse } | { error: unknown }];
};

/** Why the agent was told to stop, and what the turn becomes when it has. */
type Ending = { readonly kind: 'cancel' } | { readonly kind: 'fail'; readonly error: AcpLauncherError };

export interface TurnOptions {
  readonly limits: QueueLimits;
  readonly timeouts: TurnTimeouts;
  /** How long updates that follow the response still belong to the turn, in milliseconds. */
  readonly drainMs: number;
  readonly signal?: AbortSignal | undefined;
}

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
  readonly #queue: BoundedQueue<SessionUpdate>;
  readonly #timers: TurnTimers;
  readonly #result = deferred<PromptResponse>();
  readonly #givenUp = deferred<never>();
  readonly #firstSign = deferred<unknown>();
  readonly #onAbort = () => void this.cancel();
  #state: 'queued' | 'running' | 'settled' = 'queued';
  #delivery: 'undecided' | 'iterator' | 'none' = 'undecided';
  #resultWanted = false;
  #skippedUpdates = false;
  /** From the prompt being sent to its response being read. */
  #open = false;
  #ending: Ending | undefined;
  #response: PromptResponse | undefined;
  #cancelled: CancelledOutcome | undefined;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(port: TurnPort, options: TurnOptions) {
    this.#port = port;
    this.#signal = options.signal;
    this.#drainMs = options.drainMs;
    this.#events = new TypedEvents<TurnEvents>();
    this.#queue = new BoundedQueue(options.limits, {
      pause: () => (this.#delivery === 'iterator' ? port.pause() : this.#skip()),
      resume: () => port.resume(),
      overflow: () => this.#overflow(),
      // Somebody may wait for the end of a turn from within its iteration: that end will never come.
      stalled: () => (this.#resultWanted ? this.#overflow() : this.#events.emit('stalled')),
    });
    this.#timers = new TurnTimers(options.timeouts, {
      onExpired: (error) => this.fail(error),
      onCancelIgnored: () => this.#settleUnacknowledged(),
    });
    if (this.#signal?.aborted === true) queueMicrotask(this.#onAbort);
    else this.#signal?.addEventListener('abort', this.#onAbort, { once: true });
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
   * @throws AcpLauncherError (as rejection) `request-failed`, `agent-exited`, `timeout`, `turn-overflow`,
   * `unsupported-content`, `queue-full`, `closed`.
   */
  get result(): Promise<PromptResponse> {
    this.#resultWanted = true;
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

  /** Calls `listener` on each event; returns what removes it. */
  on<Name extends keyof TurnEvents>(
    name: Name,
    listener: (...values: TurnEvents[Name]) => unknown,
  ): () => void {
    if (name === 'update') this.#resultWanted = true;
    return this.#events.on(name, listener);
  }

  /**
   * Ends the turn. Sends one `session/cancel` for a running turn and none for a settled one; a queued turn is never
   * sent. Resolves when the turn has settled; never rejects.
   */
  async cancel(): Promise<void> {
    if (this.#state === 'queued') {
      this.#port.dequeue(this);
      this.#settle({ response: { stopReason: 'cancelled' } });
      return;
    }
    if (this.#state === 'running') this.#end({ kind: 'cancel' });
    await this.#result.promise.catch(() => undefined);
  }

  /** Iterates the updates in the order of arrival; throws what {@link result} rejects with, after the last of them. */
  [Symbol.asyncIterator](): AsyncIterator<SessionUpdate, undefined> {
    if (this.#delivery === 'iterator' || this.#skippedUpdates) {
      const why = this.#skippedUpdates
        ? 'updates were not kept, since the turn was not iterated from its start'
        : 'it is iterated already';
      throw new AcpLauncherError('turn-consumed', `the turn can't be iterated: ${why}`, { phase: 'prompt' });
    }
    this.#delivery = 'iterator';
    return {
      next: () => this.#next(),
      return: async () => {
        this.#skip();
        await this.cancel();
        return { done: true, value: undefined };
      },
    };
  }

  /**
   * @internal Sends the prompt and settles the turn with its outcome. Never rejects; resolves when the agent has
   * answered or was given up, which for an abandoned turn is later than its settling.
   */
  async run(): Promise<void> {
    if (this.#state !== 'queued') return;
    this.#state = 'running';
    this.#open = true;
    this.#port.started(this);
    this.#events.emit('start');
    this.#timers.start();
    const sent = this.#port.sendPrompt(() => {
      if (this.#drainMs === 0) this.#open = false;
    });
    try {
      const response = await Promise.race([sent, this.#givenUp.promise]);
      if (this.#drainMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#drainMs));
      if (!this.#isSettled()) this.#settleResponse(response);
    } catch (error) {
      if (!this.#isSettled()) this.#settleError(error);
    }
  }

  /** @internal Resolves with the first update, with `undefined`, or with the error of a turn that failed before it. */
  firstSign(): Promise<unknown> {
    return this.#firstSign.promise;
  }

  /** @internal Whether an update that arrives now belongs to this turn. */
  get acceptsUpdates(): boolean {
    return this.#open;
  }

  /** @internal */
  receive(update: SessionUpdate, size: number): void {
    this.#timers.activity();
    this.#record.add(update);
    this.#firstSign.resolve(undefined);
    this.#events.emit('update', update);
    if (this.#delivery === 'undecided' && this.#resultWanted) this.#delivery = 'none';
    if (this.#delivery === 'none') {
      this.#skippedUpdates = true;
      return;
    }
    this.#queue.push(update, size);
    this.#wake?.();
  }

  /** @internal The agent waits for the client: silence is not idleness. */
  agentWaits(waiting: boolean): void {
    this.#timers.hold(waiting);
  }

  /** @internal Ends the turn with an error: tells the agent to stop, waits for it within bounds, then rejects. */
  fail(error: AcpLauncherError): void {
    if (this.#state === 'running') this.#end({ kind: 'fail', error });
    else if (this.#state === 'queued') this.#settle({ error });
  }

  /** @internal Rejects at once, without waiting for the agent. */
  abandon(error: AcpLauncherError): void {
    if (this.#state === 'settled') return;
    if (this.#state === 'running') this.#port.sendCancel();
    this.#settle({ error });
  }

  #isSettled(): boolean {
    return this.#state === 'settled';
  }

  #end(ending: Ending): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    this.#port.resume();
    this.#port.sendCancel();
    this.#timers.cancelSent();
  }

  #settleResponse(response: PromptResponse | null): void {
    const stopReason: unknown = response?.stopReason;
    if (this.#ending !== undefined) return this.#settleEnding({ acknowledged: true, response });
    if (response === null || typeof stopReason !== 'string') {
      const message = `the agent answered session/prompt without a stop reason: ${shown(response)}`;
      return this.#settle({
        error: new AcpLauncherError('invalid-response', message, {
          phase: 'prompt',
          method: 'session/prompt',
        }),
      });
    }
    this.#settle({ response });
  }

  #settleError(error: unknown): void {
    if (this.#ending === undefined) return this.#settle({ error });
    this.#settleEnding({ acknowledged: true, error });
  }

  #settleUnacknowledged(): void {
    if (this.#state !== 'running') return;
    this.#port.giveUp();
    this.#givenUp.reject(new Error('given up'));
    this.#settleEnding({ acknowledged: false });
    this.#port.cancelIgnored(this);
  }

  #settleEnding(cancelled: CancelledOutcome): void {
    this.#cancelled = cancelled;
    if (this.#ending?.kind === 'fail') this.#settle({ error: this.#ending.error });
    else this.#settle({ response: { stopReason: 'cancelled' } });
  }

  #settle(outcome: { response: PromptResponse } | { error: unknown }): void {
    if (this.#state === 'settled') return;
    this.#state = 'settled';
    this.#open = false;
    this.#timers.stop();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#port.resume();
    if ('response' in outcome) {
      this.#response = outcome.response;
      this.#result.resolve(outcome.response);
    } else {
      this.#failure = outcome;
      this.#result.reject(outcome.error);
    }
    this.#firstSign.resolve('error' in outcome ? outcome.error : undefined);
    this.#wake?.();
    this.#port.settled(this);
    this.#events.emit('end', outcome);
    this.#events.removeAllListeners();
  }

  #skip(): void {
    this.#delivery = 'none';
    this.#skippedUpdates = true;
    this.#queue.clear();
  }

  #overflow(): void {
    const message =
      'the updates of the turn piled up beyond maxBufferedHardBytes while its iterator stood still';
    this.#skip();
    this.fail(new AcpLauncherError('turn-overflow', message, { phase: 'prompt', sessionId: this.sessionId }));
  }

  async #next(): Promise<IteratorResult<SessionUpdate, undefined>> {
    for (;;) {
      const update = this.#queue.shift();
      if (update !== undefined) return { done: false, value: update };
      if (this.#state === 'settled') {
        if (this.#failure !== undefined) throw this.#failure.error;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
