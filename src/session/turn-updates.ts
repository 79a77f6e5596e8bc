import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { BoundedQueue, type QueueLimits, type QueuePressure } from './bounded-queue.ts';

/**
 * Who waits for the end of a turn within its iteration would wait for ever; a reader that something else holds up, while
 * somebody waits for the end as well, looks the same and goes on some time.
 */
const patienceSeconds = 10;

/** What the updates of a turn need of the turn. */
export interface TurnUpdatesOwner extends QueuePressure {
  /** The iteration was left before its end. Resolves when the turn has settled. */
  left(): Promise<void>;
  /** Whether something waits for the end of the turn that the reader may be waiting for: a prompt behind it. */
  endIsAwaited(): boolean;
}

/**
 * The updates of a turn for its one iterator. They are kept, bounded, from the start of the turn until it is known
 * that nobody iterates: from then on nothing is.
 */
export class TurnUpdates {
  readonly #owner: TurnUpdatesOwner;
  readonly #queue: BoundedQueue<SessionUpdate>;
  #reader: 'unknown' | 'iterator' | 'nobody' = 'unknown';
  #resultWanted = false;
  #skipped = false;
  /** How long the reader has stood still at the largest limit. */
  #stalledSeconds = 0;
  #end: { readonly error?: unknown } | undefined;
  #waiting: (() => void)[] = [];

  constructor(limits: QueueLimits, owner: TurnUpdatesOwner) {
    this.#owner = owner;
    this.#queue = new BoundedQueue(limits, {
      // An agent must not be held back for a reader that may never come.
      pause: () => (this.#reader === 'iterator' ? owner.pause() : this.drop()),
      resume: () => owner.resume(),
      overflow: () => this.#overflow(),
      stalled: () => this.#onStalled(),
    });
  }

  /** Somebody reads the outcome of the turn: who does not iterate by the time of the next update is taken to read nothing else. */
  resultWanted(): void {
    this.#resultWanted = true;
  }

  add(update: SessionUpdate, size: number): void {
    if (this.#reader === 'unknown' && this.#resultWanted) this.drop();
    if (this.#reader === 'nobody') {
      this.#skipped = true;
      return;
    }
    this.#queue.push(update, size);
    if (this.#waiting.length > 0) this.#wake();
  }

  /** The turn has settled: what is kept can still be iterated. */
  end(outcome: { readonly error?: unknown }): void {
    this.#end = outcome;
    this.#queue.end();
    this.#wake();
  }

  /** Keeps nothing, now and later. */
  drop(): void {
    this.#reader = 'nobody';
    this.#skipped = true;
    this.#queue.clear();
  }

  /** @throws AcpLauncherError `turn-consumed` */
  iterate(): AsyncIterator<SessionUpdate, undefined> {
    if (this.#reader === 'iterator' || this.#skipped) {
      const why = this.#skipped
        ? 'updates were not kept, since the turn was not iterated from its start'
        : 'it is iterated already';
      throw new AcpLauncherError('turn-consumed', `the turn can't be iterated: ${why}`, { phase: 'prompt' });
    }
    this.#reader = 'iterator';
    return {
      next: () => this.#next(),
      return: async () => {
        this.drop();
        await this.#owner.left();
        return { done: true, value: undefined };
      },
    };
  }

  #onStalled(): void {
    this.#stalledSeconds += 1;
    const endIsAwaited = this.#resultWanted || this.#owner.endIsAwaited();
    if (endIsAwaited && this.#stalledSeconds > patienceSeconds) return this.#overflow();
    if (this.#stalledSeconds === 1) this.#owner.stalled();
  }

  #overflow(): void {
    this.drop();
    this.#owner.overflow();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  async #next(): Promise<IteratorResult<SessionUpdate, undefined>> {
    for (;;) {
      const update = this.#queue.shift();
      if (update !== undefined) {
        this.#stalledSeconds = 0;
        return { done: false, value: update };
      }
      if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
