import type { SessionNotification } from '@agentclientprotocol/sdk';

/** Takes the updates of one session, in the order in which they arrived. */
export interface UpdateSink {
  receive(notification: SessionNotification, size: number): void;
}

/** Updates for a session whose opening request is not answered yet: more than agents send, less than hurts. */
const maxEarlyUpdates = 1_000;
const maxEarlySize = 4 * 1024 * 1024;

/**
 * Brings each update to its session. While a request that opens a session is pending, updates for ids that are not
 * known yet are kept (bounded) and delivered as soon as the id is registered.
 */
export class UpdateRouter {
  readonly #sinks = new Map<string, UpdateSink>();
  readonly #onUnrouted: (notification: SessionNotification) => void;
  #early: { readonly notification: SessionNotification; readonly size: number }[] = [];
  #earlySize = 0;
  #opening = 0;

  /** @param onUnrouted - Told of each update that belongs to no session of ours. */
  constructor(onUnrouted: (notification: SessionNotification) => void) {
    this.#onUnrouted = onUnrouted;
  }

  route(notification: SessionNotification, size: number): void {
    const sink = this.#sinks.get(notification.sessionId);
    if (sink !== undefined) return sink.receive(notification, size);
    const fits = this.#early.length < maxEarlyUpdates && this.#earlySize + size <= maxEarlySize;
    if (this.#opening === 0 || !fits) return this.#onUnrouted(notification);
    this.#early.push({ notification, size });
    this.#earlySize += size;
  }

  /** Whether this id is registered, or may be the one that is being opened. */
  expects(sessionId: string): boolean {
    return this.#opening > 0 || this.#sinks.has(sessionId);
  }

  /** Keeps early updates until the returned function is called; then those that nobody claimed are unrouted. */
  expectSession(): () => void {
    this.#opening += 1;
    let expecting = true;
    return () => {
      if (!expecting) return;
      expecting = false;
      this.#opening -= 1;
      if (this.#opening > 0) return;
      const unclaimed = this.#early;
      this.#early = [];
      this.#earlySize = 0;
      for (const { notification } of unclaimed) this.#onUnrouted(notification);
    };
  }

  /** Delivers the early updates of this id first, then everything that follows. */
  register(sessionId: string, sink: UpdateSink): void {
    this.#sinks.set(sessionId, sink);
    const claimed = this.#early.filter(({ notification }) => notification.sessionId === sessionId);
    this.#early = this.#early.filter(({ notification }) => notification.sessionId !== sessionId);
    for (const { notification, size } of claimed) {
      this.#earlySize -= size;
      sink.receive(notification, size);
    }
  }

  /** Forgets the id, unless another sink has taken it over. */
  unregister(sessionId: string, sink: UpdateSink): void {
    if (this.#sinks.get(sessionId) === sink) this.#sinks.delete(sessionId);
  }
}
