import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { withDeadline } from '../internal/deadline.ts';

/** What callers are told when their wait ended with a signal: the library's own reason, or that they aborted. */
export function abortError(signal: AbortSignal): AcpLauncherError {
  const reason: unknown = signal.reason;
  if (AcpLauncherError.isInstance(reason)) return reason;
  return new AcpLauncherError('aborted', "the caller aborted the wait for the project's session", {
    phase: 'session',
    cause: reason,
  });
}

/** @throws AcpLauncherError as {@link abortError} */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortError(signal);
}

/** Waits for `work`, which goes on by itself where the signal ends the wait. @throws AcpLauncherError as {@link abortError} */
export function untilAborted<Result>(work: PromiseLike<Result>, signal: AbortSignal): Promise<Result> {
  const onTimeout = () => new Error('there is no deadline');
  return withDeadline(work, { signal, onTimeout, onAbort: () => abortError(signal) });
}
