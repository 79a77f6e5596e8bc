import { mkdir, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { invalidConfig } from '../errors/invalid-config.ts';
import { withDeadline } from '../internal/deadline.ts';

/** How long the file system is waited for: a directory may lie in another house, and the way there be broken. */
export interface DirectoryWait {
  /** Milliseconds; `0` = no deadline. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Makes the error for an abort. */
  readonly onAbort: (reason: unknown) => unknown;
  /** Creates the directory where there is none. */
  readonly create?: boolean;
}

/**
 * The directory as the agent will be told it: absolute, without symbolic links and trailing separators. Agents find
 * their history by this text, so every spelling of a directory must come out the same.
 *
 * @throws AcpLauncherError `invalid-config` for an empty path, `cwd-missing` where there is no directory, `timeout`;
 * what `onAbort` makes.
 */
export function canonicalDirectory(path: string, wait: DirectoryWait): Promise<string> {
  const { timeoutMs } = wait;
  return withDeadline(findDirectory(path, wait.create === true), {
    ...wait,
    onTimeout: () => {
      const message = `the file system did not show the working directory ${path} within ${timeoutMs} ms`;
      return new AcpLauncherError('timeout', message, { phase: 'config', field: 'path', timeoutMs });
    },
  });
}

async function findDirectory(path: string, create: boolean): Promise<string> {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    throw invalidConfig('path', 'must be the path of a directory');
  }
  const absolute = resolve(path);
  try {
    if (create) await mkdir(absolute, { recursive: true });
    const canonical = await realpath(absolute);
    if ((await stat(canonical)).isDirectory()) return canonical;
    throw cwdMissing(absolute, 'is not a directory');
  } catch (error) {
    if (AcpLauncherError.isInstance(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw cwdMissing(
      absolute,
      code === 'ENOENT' ? 'does not exist' : `can't be used (${code ?? String(error)})`,
      error,
    );
  }
}

function cwdMissing(path: string, problem: string, cause?: unknown): AcpLauncherError {
  const message = `the working directory ${path} ${problem}`;
  return new AcpLauncherError('cwd-missing', message, { phase: 'config', field: 'path', cause });
}
