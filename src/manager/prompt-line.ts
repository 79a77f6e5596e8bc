import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { deferred } from '../internal/deferred.ts';

/** A place in a line. */
export interface PlaceInLine {
  /** Resolves when everybody before has left. */
  readonly reached: Promise<unknown>;
  /** Lets the next one go on. Idempotent. */
  leave(): void;
}

/**
 * The prompts of one project, in the order in which they came. One that waits here is not bound to a session yet: it
 * survives whatever happens to the turns before it.
 */
export class PromptLine {
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;

  /** Whether a prompt waits for the one that runs. */
  get hasWaiting(): boolean {
    return this.#length > 1;
  }

  /** @throws AcpLauncherError `queue-full` */
  join(longest: number): PlaceInLine {
    // The first one does not wait.
    if (this.#length > longest) {
      const message = `${this.#length - 1} prompts wait for this project already (maxQueuedPrompts)`;
      throw new AcpLauncherError('queue-full', message, { phase: 'prompt' });
    }
    this.#length += 1;
    const reached = this.#last;
    const mine = deferred<void>();
    this.#last = reached.then(() => mine.promise);
    let isHere = true;
    return {
      reached,
      leave: () => {
        if (!isHere) return;
        isHere = false;
        this.#length -= 1;
        mine.resolve();
      },
    };
  }
}
