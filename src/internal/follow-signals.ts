/** A signal that follows others until it is released. */
export interface FollowedSignals {
  readonly signal: AbortSignal;
  /** Leaves the others alone from now on. Idempotent. */
  release(): void;
}

type OnAbort = (reason: unknown) => void;

/** Who follows a signal. One listener serves them all: Node warns of a leak from the eleventh on. */
const followers = new WeakMap<AbortSignal, Set<OnAbort>>();

/**
 * Calls `onAbort` when the signal is aborted, never before and not for one that is aborted already. However many wait
 * for a signal, it has one listener.
 *
 * @returns what ends the wait. Idempotent.
 */
export function whenAborted(signal: AbortSignal | undefined, onAbort: OnAbort): () => void {
  if (signal === undefined || signal.aborted) return () => undefined;
  follow(signal, onAbort);
  return () => unfollow(signal, onAbort);
}

/**
 * A signal that is aborted with the first of the given ones, for the same reason. Unlike `AbortSignal.any` it leaves
 * nothing behind on signals that live long, once it is released.
 */
export function followSignals(...signals: readonly (AbortSignal | undefined)[]): FollowedSignals {
  const controller = new AbortController();
  const followed = signals.filter((signal) => signal !== undefined);
  const release = () => {
    for (const signal of followed) unfollow(signal, onAbort);
  };
  const onAbort: OnAbort = (reason) => {
    release();
    controller.abort(reason);
  };
  const aborted = followed.find((signal) => signal.aborted);
  if (aborted !== undefined) controller.abort(aborted.reason);
  else for (const signal of followed) follow(signal, onAbort);
  return { signal: controller.signal, release };
}

function follow(signal: AbortSignal, onAbort: OnAbort): void {
  const present = followers.get(signal);
  const all = present ?? new Set<OnAbort>();
  // First what may throw: a follower of something that is no signal must not be remembered.
  if (present === undefined) signal.addEventListener('abort', tellFollowers, { once: true });
  all.add(onAbort);
  followers.set(signal, all);
}

function unfollow(signal: AbortSignal, onAbort: OnAbort): void {
  const all = followers.get(signal);
  if (all?.delete(onAbort) !== true || all.size > 0) return;
  followers.delete(signal);
  signal.removeEventListener('abort', tellFollowers);
}

function tellFollowers(event: Event): void {
  const signal = event.target as AbortSignal;
  const all = followers.get(signal);
  for (const onAbort of [...(all ?? [])]) if (all?.has(onAbort) === true) onAbort(signal.reason);
}
