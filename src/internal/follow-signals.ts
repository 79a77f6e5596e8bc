/** A signal that follows others until it is released. */
export interface FollowedSignals {
  readonly signal: AbortSignal;
  /** Leaves the others alone from now on. Idempotent. */
  release(): void;
}

/**
 * A signal that is aborted with the first of the given ones, for the same reason. Unlike `AbortSignal.any` it leaves
 * nothing behind on signals that live long, once it is released.
 */
export function followSignals(...signals: readonly (AbortSignal | undefined)[]): FollowedSignals {
  const controller = new AbortController();
  const followed = signals.filter((signal) => signal !== undefined);
  const follow = (event: Event) => abortAs(event.target as AbortSignal);
  const abortAs = ({ reason }: AbortSignal) => {
    release();
    controller.abort(reason);
  };
  const release = () => {
    for (const signal of followed) signal.removeEventListener('abort', follow);
  };
  const aborted = followed.find((signal) => signal.aborted);
  if (aborted !== undefined) abortAs(aborted);
  else for (const signal of followed) signal.addEventListener('abort', follow, { once: true });
  return { signal: controller.signal, release };
}
