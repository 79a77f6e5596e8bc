import { deadlineTimer } from '../internal/deadline.ts';

/** All in milliseconds; `0` = none. */
export interface TurnTimeouts {
  readonly promptTimeoutMs: number;
  readonly promptIdleTimeoutMs: number;
  readonly cancelTimeoutMs: number;
}

export interface TurnTimerListeners {
  /** The turn took too long, or was silent for too long. Called once. */
  onExpired(what: string, timeoutMs: number): void;
  onCancelIgnored(): void;
}

/** Why silence is not idleness: the agent waits for the client, for a tool, or for our own reader. */
export type HoldReason = 'client' | 'handler' | 'iterator' | 'tool-call';

/** The three clocks of a turn: its whole length, its silence, its cancel. */
export class TurnTimers {
  readonly #timeouts: TurnTimeouts;
  readonly #listeners: TurnTimerListeners;
  readonly #held = new Set<HoldReason>();
  #watching = false;
  #total: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #cancel: NodeJS.Timeout | undefined;

  constructor(timeouts: TurnTimeouts, listeners: TurnTimerListeners) {
    this.#timeouts = timeouts;
    this.#listeners = listeners;
  }

  start(): void {
    const { promptTimeoutMs } = this.#timeouts;
    this.#watching = true;
    this.#total = deadlineTimer(promptTimeoutMs, () => this.#expire('did not end', promptTimeoutMs));
    this.#startIdle();
  }

  /** Something of this turn arrived. */
  activity(): void {
    // refresh() restarts the timer without a new object for each of a million updates.
    this.#idle?.refresh();
  }

  hold(reason: HoldReason, held: boolean): void {
    if (held === this.#held.has(reason)) return;
    if (held) this.#held.add(reason);
    else this.#held.delete(reason);
    clearTimeout(this.#idle);
    this.#idle = undefined;
    this.#startIdle();
  }

  cancelSent(): void {
    this.stop();
    this.#cancel = deadlineTimer(this.#timeouts.cancelTimeoutMs, () => this.#listeners.onCancelIgnored());
  }

  stop(): void {
    this.#watching = false;
    for (const timer of [this.#total, this.#idle, this.#cancel]) clearTimeout(timer);
    this.#idle = undefined;
  }

  #startIdle(): void {
    if (!this.#watching || this.#held.size > 0) return;
    const { promptIdleTimeoutMs } = this.#timeouts;
    this.#idle = deadlineTimer(promptIdleTimeoutMs, () =>
      this.#expire('brought no update', promptIdleTimeoutMs),
    );
  }

  #expire(what: string, timeoutMs: number): void {
    this.stop();
    this.#listeners.onExpired(what, timeoutMs);
  }
}
