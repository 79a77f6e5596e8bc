import { nextPointer, type PointerStore, type SessionPointer, type StoredPointer } from './session-store.ts';

/**
 * One project's pointer, as this process reads and writes it: one call after another, so that a read sees what was
 * written before it. What could not be written is remembered and served here, so that an outage of the store loses
 * no conversation while this process lives.
 */
export class ProjectPointer {
  readonly #store: PointerStore;
  readonly #projectId: string;
  /** Rises with `forget`: what was in flight then must not bring the pointer back. */
  #generation = 0;
  /** The pointer that the last read or write was about. */
  #latest: SessionPointer | undefined;
  #isSaved = true;
  #calls: Promise<unknown> = Promise.resolve();
  #lastChange = 0;

  constructor(store: PointerStore, projectId: string) {
    this.#store = store;
    this.#projectId = projectId;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Whether the store holds what is remembered here. */
  get isSaved(): boolean {
    return this.#isSaved;
  }

  /** @throws AcpLauncherError `store-failed`; the signal's own reason. */
  read(signal: AbortSignal): Promise<StoredPointer> {
    return this.#inOrder(async () => {
      const stored = this.#isSaved ? await this.#store.read(this.#projectId, signal) : undefined;
      // What is written while the store answers is newer than its answer.
      if (stored !== undefined && this.#isSaved) {
        this.#latest = stored.status === 'found' ? stored.pointer : undefined;
        return stored;
      }
      return this.#latest === undefined ? { status: 'none' } : { status: 'found', pointer: this.#latest };
    });
  }

  /**
   * Writes the pointer that follows the latest one. Does nothing when the project was forgotten since `generation`.
   *
   * @param previous - Sessions that this one replaces, newest first.
   * @param lost - Those of them that could not be continued.
   * @throws AcpLauncherError `store-failed`
   */
  async write(
    now: Pick<SessionPointer, 'sessionId' | 'cwd' | 'agentId'>,
    previous: readonly string[],
    generation: number,
    lost: readonly string[] = [],
  ): Promise<void> {
    if (generation !== this.#generation) return;
    const pointer = nextPointer(this.#latest, now, previous, lost);
    this.#latest = pointer;
    this.#isSaved = false;
    await this.#save();
  }

  /** Resolves when everything that was asked before is done, one way or the other. */
  async settled(): Promise<void> {
    await this.#calls;
  }

  /**
   * Tries once more to write what could not be written: a store that was down for a while may be there again.
   *
   * @throws AcpLauncherError `store-failed`
   */
  async saveAgain(): Promise<void> {
    await this.#calls;
    if (!this.#isSaved) await this.#save();
  }

  /**
   * Drops the pointer. Where the store fails, it stays dropped here, while this process lives.
   *
   * @throws AcpLauncherError `store-failed`
   */
  async forget(): Promise<void> {
    this.#generation += 1;
    this.#latest = undefined;
    this.#isSaved = false;
    await this.#save();
  }

  /** Makes the store hold what is remembered here. */
  #save(): Promise<void> {
    return this.#inOrder(async () => {
      const pointer = this.#latest;
      const change = (this.#lastChange += 1);
      // A write that was given up may still be carried out, after the ones that followed it.
      const onLate = () => {
        if (change !== this.#lastChange) this.#save().catch(() => undefined);
        else this.#isSaved = this.#latest === pointer;
      };
      if (pointer === undefined) await this.#store.delete(this.#projectId, onLate);
      else await this.#store.write(this.#projectId, pointer, onLate);
      if (this.#latest === pointer) this.#isSaved = true;
    });
  }

  #inOrder<Result>(call: () => Promise<Result>): Promise<Result> {
    const result = this.#calls.then(call, call);
    this.#calls = result.catch(() => undefined);
    return result;
  }
}
