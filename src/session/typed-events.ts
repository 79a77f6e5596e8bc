import { EventEmitter } from 'eventemitter3';
import { invalidConfig } from '../errors/invalid-config.ts';

type EventMap = Record<string, readonly unknown[]>;
type Listener<Arguments extends readonly unknown[]> = (...values: Arguments) => unknown;

/**
 * A typed emitter whose listeners can't break the emitter or each other: what one throws, or rejects with, goes to
 * `onListenerError`.
 */
export class TypedEvents<Events extends EventMap> {
  readonly #emitter = new EventEmitter();
  readonly #onListenerError: (event: string, error: unknown) => void;

  constructor(onListenerError: (event: string, error: unknown) => void = () => undefined) {
    this.#onListenerError = onListenerError;
  }

  /** Calls `listener` on every event of this name, in order of registration. Returns what removes it. */
  on<Name extends keyof Events & string>(name: Name, listener: Listener<Events[Name]>): () => void {
    if (typeof listener !== 'function') throw invalidConfig('listener', 'must be a function');
    const guarded = (...values: unknown[]) => {
      try {
        const outcome = listener(...(values as unknown as Events[Name]));
        if (outcome instanceof Promise) outcome.catch((error: unknown) => this.#onListenerError(name, error));
      } catch (error) {
        this.#onListenerError(name, error);
      }
    };
    this.#emitter.on(name, guarded);
    return () => this.#emitter.off(name, guarded);
  }

  /** As {@link on}, for the next event only. */
  once<Name extends keyof Events & string>(name: Name, listener: Listener<Events[Name]>): () => void {
    const remove = this.on(name, (...values) => {
      remove();
      return listener(...values);
    });
    return remove;
  }

  emit<Name extends keyof Events & string>(name: Name, ...values: Events[Name]): void {
    // Most events have no listener, and there are events for each of a million updates.
    if (this.#emitter.listenerCount(name) > 0) this.#emitter.emit(name, ...values);
  }

  listenerCount(name: keyof Events & string): number {
    return this.#emitter.listenerCount(name);
  }

  removeAllListeners(): void {
    this.#emitter.removeAllListeners();
  }
}
