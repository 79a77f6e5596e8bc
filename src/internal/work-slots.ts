import { deferred, type Deferred } from './deferred.ts';
import { whenAborted } from './follow-signals.ts';

/** Lets a bounded number of things run at once; the others wait in the order in which they came. */
export class WorkSlots {
  readonly #waiting: Deferred<void>[] = [];
  #free: number;

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Runs `work` when a slot is free. An abort while it waits rejects with the signal's reason, and frees the place. */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    await this.#take(signal);
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  async #take(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const turn = deferred<void>();
    this.#waiting.push(turn);
    const stopListening = whenAborted(signal, (reason) => {
      const index = this.#waiting.indexOf(turn);
      if (index === -1) return;
      this.#waiting.splice(index, 1);
      turn.reject(reason);
    });
    try {
      await turn.promise;
    } finally {
      stopListening();
    }
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next.resolve();
  }
}
