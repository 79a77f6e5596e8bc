import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { execa } from 'execa';
import { deferred } from '../internal/deferred.ts';

export interface ChildRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

export interface RunningChild {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  onExit(listener: (exitCode: number | null, exitSignal: NodeJS.Signals | null) => void): void;
}

/** Either `child`, or why there is none. */
export type ChildStart =
  | { readonly child: RunningChild; readonly failure?: never }
  | { readonly child?: never; readonly failure: Promise<unknown> };

const ignore = () => undefined;

/**
 * Starts a process as the leader of a group of its own. Never throws, and no error event of the process or its pipes
 * ever goes unheard, whatever way the system refuses: without a listener each of them would end the host.
 */
export function startChild({ command, args, cwd, env }: ChildRequest): ChildStart {
  const failed = deferred<unknown>();
  // With too many open files, execa throws before it returns the process, whose error event is still to come. Here
  // it is seen at birth, in this tick and no other.
  let seen = 0;
  const onChildProcess = (message: unknown) => {
    seen += 1;
    (message as { process: ChildProcess }).process.on('error', failed.resolve);
  };
  subscribe('child_process', onChildProcess);
  try {
    const subprocess = execa(command, args, {
      cwd,
      env,
      extendEnv: false,
      detached: true,
      cleanup: false,
      windowsHide: true,
      reject: false,
      buffer: false,
      stripFinalNewline: false,
      stdio: 'pipe',
    });
    const { pid, stdin, stdout, stderr } = subprocess;
    if (pid === undefined) {
      void subprocess.then(({ cause }) => failed.resolve(cause));
      return { failure: failed.promise };
    }
    // They stay for good: a write after the end must be harmless for ever.
    for (const stream of [stdin, stdout, stderr]) stream.on('error', ignore);
    holdUntilRead(stdout);
    return {
      child: { pid, stdin, stdout, stderr, onExit: (listener) => void subprocess.once('exit', listener) },
    };
  } catch (error) {
    if (seen === 0) failed.resolve(error);
    else void setImmediate().then(() => failed.resolve(error));
    return { failure: failed.promise };
  } finally {
    unsubscribe('child_process', onChildProcess);
  }
}

/**
 * execa in the next tick, and Node at the exit, set a stream flowing that nobody has touched, and what it holds is
 * lost. It is kept, as far as the pipe goes, for a reader that comes later, by `data` or by iteration.
 */
function holdUntilRead(stream: Readable): void {
  const letGo = (event: string | symbol) => {
    if (event !== 'data') return;
    stream.off('newListener', letGo);
    stream.off('readable', ignore);
  };
  stream.on('readable', ignore);
  stream.on('newListener', letGo);
}
