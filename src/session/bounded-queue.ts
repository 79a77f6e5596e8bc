/** What a queue of updates needs of the pipe that fills it. */
export interface QueuePressure {
  /** The queue passed its limit. */
  pause(): void;
  /** The queue is at half its limit or below. */
  resume(): void;
  /** The queue passed its hard limit although the pipe was asked to pause. Called once. */
  overflow(): void;
  /** The reader has stood still at the largest limit. May be called again after it moved. */
  stalled(): void;
}

export interface QueueLimits {
  readonly softBytes: number;
  readonly hardBytes: number;
}

/** A reader that takes nothing for this long may be waiting for something behind the pause: let more in. */
const stallMs = 1_000;
const stallFactor = 4;

/**
 * A first-in-first-out queue that asks its source to pause when it holds too much. A reader that takes nothing while
 * the source is paused may be waiting for a message that is stuck behind the pause (it did deadlock): each second
 * the limit grows fourfold, up to the hard limit.
 */
export class BoundedQueue<Item> {
  readonly #pressure: QueuePressure;
  readonly #limits: QueueLimits;
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
    this.#pressure = pressure;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item, size: number): void {
    this.#items.push({ item, size });
    this.#size += size;
    if (this.#size > this.#limits.hardBytes && !this.#overflowed) {
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

  /** Drops everything and lets the source run on. */
  clear(): void {
    this.#items = [];
    this.#head = 0;
    this.#size = 0;
    this.#resume();
  }

  #pause(): void {
    this.#paused = true;
    this.#pressure.pause();
    this.#watchForStall();
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
      if (this.#limit >= this.#limits.hardBytes) return this.#pressure.stalled();
      this.#limit = Math.min(this.#limit * stallFactor, this.#limits.hardBytes);
      if (this.#size <= this.#limit) this.#resume();
      else this.#watchForStall();
    }, stallMs);
  }
}
