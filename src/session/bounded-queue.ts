/** What a queue needs of the source that fills it. */
export interface QueuePressure {
  /** The queue passed its limit. */
  pause(): void;
  /** The source may run on: the queue is at half its limit, was let go, or the limit was raised. */
  resume(): void;
  /** The queue passed its hard limit: the source could not be paused, or sent too much at once. */
  overflow(): void;
  /** The reader stands still at the largest limit; told each second as long as it does. */
  stalled(): void;
}

export interface QueueLimits {
  /** Above it the source is paused. */
  readonly softBytes: number;
  /** Above it the queue overflows. */
  readonly hardBytes: number;
}

/** A reader that takes nothing for this long may be waiting for something behind the pause: let more in. */
const stallMs = 1_000;
const stallFactor = 4;

/**
 * A first-in-first-out queue that asks its source to pause when it holds too much. A reader that takes nothing while
 * the source is paused may be waiting for a message that is stuck behind the pause (it did deadlock): each second
 * the limit grows fourfold, up to half the hard limit. There it stays paused, and says so.
 */
export class BoundedQueue<Item> {
  readonly #pressure: QueuePressure;
  readonly #limits: QueueLimits;
  readonly #largestLimit: number;
  #items: { readonly item: Item; readonly size: number }[] = [];
  #head = 0;
  #size = 0;
  #limit: number;
  #timer: NodeJS.Timeout | undefined;
  #paused = false;
  #overflowed = false;

  constructor(limits: QueueLimits, pressure: QueuePressure) {
    this.#limits = limits;
    this.#limit = limits.softBytes;
    // The other half takes what is on its way already when the source is paused.
    this.#largestLimit = Math.max(limits.softBytes, limits.hardBytes / 2);
    this.#pressure = pressure;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item, size: number): void {
    this.#items.push({ item, size });
    this.#size += size;
    // One alone is in memory already, however large, and its reader may well be waiting for it.
    if (this.#size > this.#limits.hardBytes && this.length > 1 && !this.#overflowed) {
      this.#overflowed = true;
      return this.#pressure.overflow();
    }
    if (this.#size > this.#limit && !this.#paused) this.#pause();
  }

  shift(): Item | undefined {
    const entry = this.#items[this.#head];
    if (entry === undefined) return undefined;
    this.#head += 1;
    this.#size -= entry.size;
    // Moving the array for each item would make a long queue quadratic.
    if (this.#head > 1_024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    this.#limit = this.#limits.softBytes;
    if (this.#paused) {
      if (this.#size <= this.#limit / 2) this.#resume();
      else this.#watchForStall();
    }
    return entry.item;
  }

  /** Nothing more will come: what is here stays for the reader, however long it takes. */
  end(): void {
    this.#resume();
  }

  /** Drops everything and lets the source run on. */
  clear(): void {
    this.#items = [];
    this.#head = 0;
    this.#size = 0;
    this.#overflowed = false;
    this.#resume();
  }

  #pause(): void {
    this.#paused = true;
    this.#watchForStall();
    this.#pressure.pause();
  }

  #resume(): void {
    clearTimeout(this.#timer);
    if (!this.#paused) return;
    this.#paused = false;
    this.#pressure.resume();
  }

  #watchForStall(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#limit >= this.#largestLimit) {
        this.#watchForStall();
        return this.#pressure.stalled();
      }
      this.#limit = Math.min(this.#limit * stallFactor, this.#largestLimit);
      if (this.#size <= this.#limit) this.#resume();
      else this.#watchForStall();
    }, stallMs);
  }
}
