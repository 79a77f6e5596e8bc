import type { Readable, Writable } from 'node:stream';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import type { Redactor } from '../errors/redactor.ts';
import { settledWithin } from '../internal/deadline.ts';
import { deferred } from '../internal/deferred.ts';
import { diagnoseSpawn } from './diagnose-spawn.ts';
import { type RunningChild, startChild } from './start-child.ts';
import { StderrTail } from './stderr-tail.ts';
import {
  createLease,
  leaseVariable,
  type TerminateOptions,
  type TerminationReport,
  trackTree,
  type TrackedTree,
} from './terminate-agent.ts';
import { windowsCommandLine } from './windows-command.ts';

export interface AgentExit {
  readonly exitCode: number | null;
  readonly exitSignal: NodeJS.Signals | null;
}

export interface SpawnAgentRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it: nothing is inherited from the host. */
  readonly env: Readonly<Record<string, string>>;
  readonly redactor: Redactor;
  readonly stderrTailBytes: number;
  readonly closeGraceMs: number;
  readonly terminateGraceMs: number;
}

/** How long the last output is waited for once the tree is gone; only a stranger that holds the pipes needs all of it. */
const drainMs = 250;

/** One running agent process with its descendants, from spawn until the last of them is gone. */
export class AgentProcess {
  readonly pid: number;
  /** May be written to at any time: once the agent is gone, what is written is dropped. */
  readonly stdin: Writable;
  /** Untouched: nothing is read, no encoding is set, and what has come is kept until somebody reads. */
  readonly stdout: Readable;
  readonly stderr: StderrTail;
  /** Resolves when the process is gone, whoever still holds its pipes. Never rejects. */
  readonly exited: Promise<AgentExit>;
  /** What is done when a signal ends the host; an owner that has more to do than {@link close} puts that here. */
  closeForHost: () => Promise<unknown> = () => this.close();
  readonly #exited = deferred<AgentExit>();
  readonly #child: RunningChild;
  readonly #tree: TrackedTree;
  readonly #grace: Pick<TerminateOptions, 'closeGraceMs' | 'terminateGraceMs'>;
  #exit: AgentExit | undefined;
  #released: Promise<void> | undefined;

  /**
   * Starts the agent; resolves when its process runs.
   *
   * @throws AcpLauncherError `cwd-missing`, `command-missing`, `command-not-executable`, `interpreter-missing` or
   * `spawn-failed`; nothing is left then.
   */
  static async spawn(request: SpawnAgentRequest): Promise<AgentProcess> {
    refuseWhatNoSystemTakes(request);
    const lease = createLease();
    const { cwd } = request;
    const env = { ...request.env, [leaseVariable]: lease };
    const { command, args } = process.platform === 'win32' ? await windowsCommandLine(request) : request;
    const { child, failure } = startChild({ command, args, cwd, env });
    // In the tick of the spawn, no await between them: an event that nobody hears, or an exit that is missed.
    if (child !== undefined) return new AgentProcess(child, lease, request);
    throw await diagnoseSpawn(request, await failure);
  }

  private constructor(child: RunningChild, lease: string, request: SpawnAgentRequest) {
    const { redactor, stderrTailBytes, closeGraceMs, terminateGraceMs } = request;
    this.#child = child;
    this.#grace = { closeGraceMs, terminateGraceMs };
    this.pid = child.pid;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    this.stderr = new StderrTail({ redactor, maxBytes: stderrTailBytes });
    child.stderr.on('data', (chunk: Buffer) => this.stderr.write(chunk));
    child.stderr.once('close', () => this.stderr.end());
    this.exited = this.#exited.promise;
    this.#tree = trackTree({
      pid: child.pid,
      lease,
      exited: this.exited,
      endInput: () => void child.stdin.end(),
      destroyInput: () => void child.stdin.destroy(),
      closeForHost: () => this.closeForHost(),
    });
    child.onExit((exitCode, exitSignal) => {
      this.#exit = { exitCode, exitSignal };
      // Before anything else: what the agent leaves behind is easiest to find now.
      this.#tree.noteExit();
      this.#exited.resolve(this.#exit);
    });
  }

  /** How the process ended; nothing while it runs. */
  get exit(): AgentExit | undefined {
    return this.#exit;
  }

  /**
   * Ends the agent and all its descendants: end of stdin, SIGTERM, SIGKILL, each only when the one before was not
   * enough. Resolves when they are gone, or says which survived; then our ends of the pipes are closed as well.
   * Legal in every state; later calls share the first one's work, and try again where something survived.
   *
   * @param options - `notBefore`: the `performance.now()` moment before which nothing is killed.
   */
  async close(options: { notBefore?: number } = {}): Promise<TerminationReport> {
    return this.#end({ ...this.#grace, ...options });
  }

  /** As {@link close}, without the graces: SIGKILL at once. Speeds up a close that is under way. */
  async kill(): Promise<TerminationReport> {
    return this.#end({ ...this.#grace, now: true });
  }

  async #end(options: TerminateOptions): Promise<TerminationReport> {
    const report = await this.#tree.terminate(options);
    if (report.survivors.length === 0) this.#tree.release();
    await (this.#released ??= this.#releasePipes());
    return report;
  }

  /** Waits for the last output where somebody reads it; a survivor or a stranger may hold the pipes for ever. */
  async #releasePipes(): Promise<void> {
    const { stdin, stdout, stderr } = this.#child;
    const read = stdout.listenerCount('data') > 0 ? [stdout, stderr] : [stderr];
    await settledWithin(Promise.all(read.map(closed)), drainMs);
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
    await this.stderr.ended;
  }
}

async function closed(stream: Readable): Promise<void> {
  if (!stream.closed) await new Promise<void>((resolve) => stream.once('close', resolve));
}

/** Node and execa would refuse it as well, with a message that shows the argument or the variable's value. */
function refuseWhatNoSystemTakes({ command, args, cwd, env }: SpawnAgentRequest): void {
  const hasNul = (text: string) => text.includes('\0');
  const refuse = (code: ErrorCode, reason: string) => {
    throw new AcpLauncherError(code, `could not start the agent: ${reason}`, {
      phase: 'spawn',
      retryable: false,
    });
  };
  if (command === '') refuse('command-missing', 'the command is empty');
  if (hasNul(command)) refuse('command-missing', 'the command contains a NUL character');
  if (hasNul(cwd)) refuse('cwd-missing', 'the working directory contains a NUL character');
  const argument = args.findIndex(hasNul);
  if (argument >= 0) refuse('spawn-failed', `argument ${argument + 1} contains a NUL character`);
  const variable = Object.entries(env).find(([name, value]) => hasNul(name) || hasNul(value))?.[0];
  if (variable !== undefined) {
    refuse(
      'spawn-failed',
      `the environment variable ${variable.replaceAll('\0', '')} contains a NUL character`,
    );
  }
}
