import { AcpLauncherError } from '../errors/acp-launcher-error.ts';

/** All in milliseconds; `0` = none. */
export interface TurnTimeouts {
  readonly promptTimeoutMs: number;
  readonly promptIdleTimeoutMs: number;
  readonly cancelTimeoutMs: number;
}

interface TurnTimerListeners {
  onExpired(error: AcpLauncherError): void;
  onCancelIgnored(): void;
}

/** The three clocks of a turn: its whole length, its silence (held while the agent waits for the client), its cancel. */
export class TurnTimers {
  readonly #timeouts: TurnTimeouts;
  readonly #listeners: TurnTimerListeners;
  #total: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #cancel: NodeJS.Timeout | undefined;
  #held = false;

  constructor(timeouts: TurnTimeouts, listeners: TurnTimerListeners) {
    this.#timeouts = timeouts;
    this.#listeners = listeners;
  }

  start(): void {
    const { promptTimeoutMs } = this.#timeouts;
    if (promptTimeoutMs > 0)
      this.#total = setTimeout(() => this.#expire('did not end', promptTimeoutMs), promptTimeoutMs);
    this.#startIdle();
  }

  /** Something of this session arrived. */
  activity(): void {
    // refresh() restarts the timer without a new object for each of a million updates.
    if (!this.#held) this.#idle?.refresh();
  }

  hold(held: boolean): void {
    if (held === this.#held) return;
    this.#held = held;
    clearTimeout(this.#idle);
    if (!held && this.#idle !== undefined) this.#startIdle();
  }

  cancelSent(): void {
    this.#clearLimits();
    const { cancelTimeoutMs } = this.#timeouts;
    if (cancelTimeoutMs > 0)
      this.#cancel = setTimeout(() => this.#listeners.onCancelIgnored(), cancelTimeoutMs);
  }

  stop(): void {
    this.#clearLimits();
    clearTimeout(this.#cancel);
  }

  #startIdle(): void {
    const { promptIdleTimeoutMs } = this.#timeouts;
    if (promptIdleTimeoutMs > 0) {
      this.#idle = setTimeout(
        () => this.#expire('brought no update', promptIdleTimeoutMs),
        promptIdleTimeoutMs,
      );
    }
  }

  #clearLimits(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#idle);
    this.#idle = undefined;
  }

  #expire(what: string, timeoutMs: number): void {
    const message = `the prompt turn ${what} within ${timeoutMs} ms`;
    const facts = { phase: 'prompt', method: 'session/prompt', timeoutMs } as const;
    this.#listeners.onExpired(new AcpLauncherError('timeout', message, facts));
  }
}
