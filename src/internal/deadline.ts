import { whenAborted } from './follow-signals.ts';

export interface DeadlineLimits {
  /** Milliseconds; `0` and `Infinity` mean no deadline. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Makes the error for a deadline that passed. */
  readonly onTimeout: () => Error;
  /** Makes the error for an abort; by default the signal's own reason. */
  readonly onAbort?: (reason: unknown) => unknown;
}

/** `setTimeout` fires at once for anything above this. */
const longestTimerMs = 2 ** 31 - 1;

/** As `setTimeout`, for a deadline: none for `0` and `Infinity`, and no surprise for a very long one. */
export function deadlineTimer(timeoutMs: number, onPassed: () => void): NodeJS.Timeout | undefined {
  if (!(timeoutMs > 0) || timeoutMs === Infinity) return undefined;
  return setTimeout(onPassed, Math.min(timeoutMs, longestTimerMs));
}

/**
 * Waits for `work`, but no longer than the deadline and the signal allow. Does not stop the work itself.
 * The timer and the abort listener are gone when it settles.
 */
export async function withDeadline<T>(work: PromiseLike<T>, limits: DeadlineLimits): Promise<T> {
  const { timeoutMs = 0, signal, onTimeout, onAbort = (reason: unknown) => reason } = limits;
  let timer: NodeJS.Timeout | undefined;
  let stopListening: (() => void) | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      work.then(resolve, reject);
      if (signal?.aborted === true) return reject(onAbort(signal.reason));
      stopListening = whenAborted(signal, (reason) => reject(onAbort(reason)));
      timer = deadlineTimer(timeoutMs, () => reject(onTimeout()));
    });
  } finally {
    clearTimeout(timer);
    stopListening?.();
  }
}

/** Resolves to whether `work` settled within `timeoutMs` milliseconds, however it settled. Never rejects. */
export async function settledWithin(work: PromiseLike<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<boolean>((resolve) => {
      const settled = () => resolve(true);
      work.then(settled, settled);
      timer = setTimeout(() => resolve(false), Math.min(timeoutMs, longestTimerMs));
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Waits `ms` milliseconds. Rejects with the signal's reason as soon as it is aborted. */
export async function abortableDelay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let stopListening!: () => void;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    stopListening = whenAborted(signal, () => {
      clearTimeout(timer);
      resolve();
    });
  });
  stopListening();
  signal?.throwIfAborted();
}
