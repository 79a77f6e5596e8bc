import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { deferred } from '../internal/deferred.ts';

/** A place in a line. */
export interface PlaceInLine {
  /** Resolves when everybody before has left. */
  readonly reached: Promise<unknown>;
  /** Aborted by {@link PromptLine.cancelFirst}. */
  readonly cancelled: AbortSignal;
  /** Lets the next one go on. Idempotent. */
  leave(): void;
  /** @throws AcpLauncherError `queue-full` where more are before it than one that runs, and so many that wait. */
  assertWithin(longest: number): void;
}

/**
 * The prompts of one project, in the order in which they came. One that waits here is not bound to a session yet: it
 * survives whatever happens to the turns before it.
 */
export class PromptLine {
  readonly #places: Place[] = [];

  /** Whether a prompt waits for the one that runs. */
  get hasWaiting(): boolean {
    return this.#places.length > 1;
  }

  join(): PlaceInLine {
    const place = new Place(this.#places);
    this.#places.push(place);
    this.#places[0]?.reach();
    return place;
  }

  /** Cancels the prompt whose turn it is, which has no effect where it was sent. */
  cancelFirst(): void {
    this.#places[0]?.cancel();
  }
}

class Place implements PlaceInLine {
  readonly #line: Place[];
  readonly #reached = deferred<void>();
  readonly #controller = new AbortController();

  constructor(line: Place[]) {
    this.#line = line;
  }

  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  get cancelled(): AbortSignal {
    return this.#controller.signal;
  }

  reach(): void {
    this.#reached.resolve();
  }

  cancel(): void {
    const message = 'the prompt was cancelled before it was sent';
    this.#controller.abort(new AcpLauncherError('aborted', message, { phase: 'prompt' }));
  }

  leave(): void {
    const index = this.#line.indexOf(this);
    if (index === -1) return;
    this.#line.splice(index, 1);
    this.#line[0]?.reach();
  }

  assertWithin(longest: number): void {
    const waiting = this.#line.indexOf(this) - 1;
    if (waiting < longest) return;
    const message = `${waiting} prompts wait for this project already (maxQueuedPrompts)`;
    throw new AcpLauncherError('queue-full', message, { phase: 'prompt' });
  }
}
