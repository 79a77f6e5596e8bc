import { untilAborted } from './abort-error.ts';

/** Work that several callers wait for, one at a time for each key. */
export class SharedWork<Result> {
  readonly #shared = new Map<string, Shared<Result>>();

  /**
   * Joins the work that is under way for the same key, or begins it. The work is given up when none waits for it any
   * more, and whoever comes then begins anew.
   *
   * @throws AcpLauncherError as {@link untilAborted} when the signal ends the wait, else what the work threw.
   */
  async join(
    key: string,
    begin: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const shared = this.#shared.get(key) ?? this.#begin(key, begin);
    shared.waiting += 1;
    try {
      return await untilAborted(shared.work, signal);
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0) {
        this.#forget(key, shared);
        shared.controller.abort();
      }
    }
  }

  #begin(key: string, begin: (signal: AbortSignal) => Promise<Result>): Shared<Result> {
    const controller = new AbortController();
    const shared: Shared<Result> = { controller, work: begin(controller.signal), waiting: 0 };
    this.#shared.set(key, shared);
    const forget = () => this.#forget(key, shared);
    shared.work.then(forget, forget);
    return shared;
  }

  #forget(key: string, shared: Shared<Result>): void {
    if (this.#shared.get(key) === shared) this.#shared.delete(key);
  }
}

interface Shared<Result> {
  readonly controller: AbortController;
  readonly work: Promise<Result>;
  waiting: number;
}
