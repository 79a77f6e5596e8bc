import type { Readable } from 'node:stream';
import type { TerminalExitStatus } from '@agentclientprotocol/sdk';
import { settledWithin } from '../internal/deadline.ts';
import { deferred } from '../internal/deferred.ts';
import { trackTree, type TrackedTree } from '../process/terminate-agent.ts';
import { TerminalOutput, type OutputStream } from './terminal-output.ts';

/** A command that was just spawned, in a process group of its own; nothing may have been awaited since. */
export interface TerminalProcess {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  once(event: 'exit', listener: (exitCode: number | null, signal: NodeJS.Signals | null) => void): unknown;
}

/** From SIGTERM to SIGKILL: with all that follows, well within the time that a session's end may take. */
const terminateGraceMs = 1_000;
/** How long the output may take to end after the command has: a child in the background may hold it open for ever. */
const drainMs = 250;

/** One command with its output and everything that it started. */
export class LocalTerminal {
  readonly #process: TerminalProcess;
  readonly #tree: TrackedTree;
  readonly #output: TerminalOutput;
  readonly #exit = deferred<TerminalExitStatus>();
  readonly #drained: Promise<unknown>;
  /** What the system reported, before the output was read to its end. */
  #reported: TerminalExitStatus | undefined;
  #exitStatus: TerminalExitStatus | undefined;
  #ending: Promise<readonly number[]> | undefined;

  constructor(process: TerminalProcess, lease: string, outputLimitBytes: number) {
    this.#process = process;
    this.#output = new TerminalOutput(outputLimitBytes);
    const exited = deferred<unknown>();
    this.#tree = trackTree({ pid: process.pid, lease, exited: exited.promise, endInput: () => undefined });
    this.#drained = Promise.all([this.#collect('stdout'), this.#collect('stderr')]);
    process.once('exit', (exitCode, signal) => {
      this.#tree.noteExit();
      exited.resolve(undefined);
      this.#reported = { exitCode, signal };
      void this.#settleWhenDrained(this.#reported);
    });
  }

  /** Resolves when the command itself has ended and its output was read; its children may go on. Never rejects. */
  get exited(): Promise<TerminalExitStatus> {
    return this.#exit.promise;
  }

  /** How the command ended; set together with {@link exited}, so that the output is complete by then. */
  get exitStatus(): TerminalExitStatus | undefined {
    return this.#exitStatus;
  }

  readOutput(): { output: string; truncated: boolean } {
    return this.#output.read();
  }

  /** Ends the command and everything that it started. Resolves to the process ids that survived; only then does another call try again. */
  kill(): Promise<readonly number[]> {
    this.#ending ??= this.#kill();
    return this.#ending;
  }

  async #kill(): Promise<readonly number[]> {
    const { survivors } = await this.#tree.terminate({ closeGraceMs: 0, terminateGraceMs });
    await settledWithin(this.#drained, drainMs);
    this.#process.stdout.destroy();
    this.#process.stderr.destroy();
    // Only a process that survived SIGKILL has reported nothing by now; nobody should wait for it.
    this.#settle(this.#reported ?? { exitCode: null, signal: null });
    if (survivors.length === 0) this.#tree.release();
    else this.#ending = undefined;
    return survivors;
  }

  /** Resolves when the stream has ended, by itself or by us. */
  #collect(name: OutputStream): Promise<void> {
    const stream = this.#process[name];
    stream.on('data', (chunk: Buffer) => this.#output.write(name, chunk));
    stream.on('error', () => undefined);
    return new Promise((resolve) => {
      stream.once('close', () => {
        this.#output.end(name);
        resolve();
      });
    });
  }

  async #settleWhenDrained(status: TerminalExitStatus): Promise<void> {
    if (!(await settledWithin(this.#drained, drainMs))) {
      // After a stall of this process the timer fires before what is in the pipe was read.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#settle(status);
  }

  #settle(status: TerminalExitStatus): void {
    this.#exitStatus ??= status;
    this.#exit.resolve(this.#exitStatus);
  }
}
