/** Runs what changes a project one after another. */
export class ChangeQueue {
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;
  readonly #afterEach: () => void;

  constructor(afterEach: () => void) {
    this.#afterEach = afterEach;
  }

  /** Whether nothing is queued or running. */
  get isEmpty(): boolean {
    return this.#length === 0;
  }

  run<Result>(change: () => Promise<Result>): Promise<Result> {
    this.#length += 1;
    const result = this.#last.then(change).finally(() => {
      this.#length -= 1;
      this.#afterEach();
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}
