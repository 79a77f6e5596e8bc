import pRetry, { AbortError } from 'p-retry';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';

/** What another attempt may mend: the agent died, or could not be started for want of resources. */
const worthAnother = new Set(['agent-exited', 'spawn-failed']);

/**
 * Makes at most `attempts` attempts to open a fresh session. Only an agent that died is worth another one: any other
 * error would come again. Throws what the last attempt threw.
 */
export async function attemptFresh<Result>(
  attempt: (attemptNumber: number) => Promise<Result>,
  { attempts, signal }: { readonly attempts: number; readonly signal?: AbortSignal | undefined },
): Promise<Result> {
  return pRetry(
    async (attemptNumber) => {
      try {
        return await attempt(attemptNumber);
      } catch (error) {
        // p-retry takes a TypeError for a network failure or a bug and treats it by rules of its own.
        throw error instanceof Error ? error : new AbortError(String(error));
      }
    },
    {
      retries: attempts - 1,
      minTimeout: 200,
      maxTimeout: 2_000,
      factor: 2,
      randomize: false,
      ...(signal === undefined ? {} : { signal }),
      shouldRetry: ({ error }) => AcpLauncherError.isInstance(error) && worthAnother.has(error.code),
    },
  );
}
