/** Tells when nothing was touched for a while. Does not keep the process alive. */
export class IdleTimer {
  readonly #timeoutMs: number;
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | undefined;
  #touchedAt = Date.now();

  /** @param timeoutMs - `0` and `Infinity` = never. */
  constructor(timeoutMs: number, onIdle: () => void) {
    this.#timeoutMs = timeoutMs;
    this.#onIdle = onIdle;
  }

  get idleMs(): number {
    return Date.now() - this.#touchedAt;
  }

  /** Whether it has been idle for the whole time. */
  get isOver(): boolean {
    return this.idleMs >= this.#timeoutMs;
  }

  touch(): void {
    this.#touchedAt = Date.now();
    this.#arm(this.#timeoutMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(delayMs: number): void {
    this.stop();
    if (this.#timeoutMs === 0 || this.#timeoutMs === Infinity) return;
    // `setTimeout` fires at once for anything above.
    this.#timer = setTimeout(() => this.#check(), Math.min(delayMs, 2 ** 31 - 1));
    this.#timer.unref();
  }

  #check(): void {
    // Timers may fire a moment early.
    if (this.isOver) this.#onIdle();
    else this.#arm(this.#timeoutMs - this.idleMs);
  }
}
