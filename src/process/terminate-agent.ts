import { defaultLimits } from '../config/launcher-options.ts';
import { hostExit } from './host-exit.ts';
import { PosixTreeControl } from './posix-tree-control.ts';
import { processScanner } from './process-scanner.ts';
import type { TerminationTarget, TreeControl } from './tree-control.ts';
import { WindowsTreeControl } from './windows-tree-control.ts';

export { createLease, leaseVariable } from './lease.ts';
export type { TerminationTarget } from './tree-control.ts';

export interface TerminationReport {
  /** What it took to end the last process of the tree; `exit`: all of it was gone already. */
  readonly endedBy: 'exit' | 'stdin-end' | 'SIGTERM' | 'SIGKILL';
  /** The pids that could not be ended within the bounds. Empty means: proven gone. */
  readonly survivors: readonly number[];
}

export interface TerminateOptions {
  /** Milliseconds from the end of stdin to SIGTERM. */
  closeGraceMs: number;
  /** Milliseconds from SIGTERM to SIGKILL. */
  terminateGraceMs: number;
  /** Skips both graces: SIGKILL at once. */
  now?: boolean;
  /** No SIGKILL before this `performance.now()` moment, unless `now`: the flush time of a just-finished turn. */
  notBefore?: number;
}

/** One agent and all its descendants, from spawn until they are proven gone. */
export interface TrackedTree {
  readonly target: TerminationTarget;
  /** Call it synchronously in the leader's `exit` handler: what the leader leaves behind is easiest to see then. */
  noteExit(): void;
  /**
   * Ends the tree: stdin, then SIGTERM, then SIGKILL, each only when the one before did not do. Resolves when no
   * process of it is left, or when the bounds have passed; never waits for pipes to close, and never rejects.
   *
   * One ladder for all callers: a later call waits for the running one and, with `now`, sends it to its last rung;
   * its other options are ignored. After a report with survivors, another call tries again.
   */
  terminate(options: TerminateOptions): Promise<TerminationReport>;
  /** Forgets the tree: from now on the host's exit leaves it alone. Idempotent. */
  release(): void;
}

/**
 * Starts to keep track of a process that was spawned `detached` with the target's lease in its environment.
 * To be called in the tick of the spawn, before the process can have been replaced by another with its pid.
 */
export function trackTree(target: TerminationTarget, control = createControl(target)): TrackedTree {
  return new AgentTree(target, control);
}

function createControl(target: TerminationTarget): TreeControl {
  return process.platform === 'win32'
    ? new WindowsTreeControl(target)
    : new PosixTreeControl(target, processScanner);
}

class AgentTree implements TrackedTree {
  readonly target: TerminationTarget;
  private readonly control: TreeControl;
  private readonly forget: () => void;
  private running: Promise<TerminationReport> | undefined;
  private hurried = false;

  constructor(target: TerminationTarget, control: TreeControl) {
    this.target = target;
    this.control = control;
    const noteExit = () => control.noteExit();
    target.exited.then(noteExit, noteExit);
    this.forget = hostExit.add({
      target,
      control,
      close: () => target.closeForHost?.() ?? this.terminate(defaultLimits),
      kill: () => this.terminate({ ...defaultLimits, now: true }),
    });
  }

  noteExit(): void {
    this.control.noteExit();
  }

  terminate(options: TerminateOptions): Promise<TerminationReport> {
    if (options.now) {
      this.hurried = true;
      this.control.hurry();
    }
    this.running ??= this.climb(options);
    return this.running;
  }

  release(): void {
    this.forget();
  }

  private async climb(options: TerminateOptions): Promise<TerminationReport> {
    const endedBy = await this.endGently(options);
    if (endedBy) return { endedBy, survivors: [] };
    const survivors = await this.control.kill();
    if (survivors.length > 0) this.running = undefined;
    return { endedBy: 'SIGKILL', survivors };
  }

  /** Resolves to `undefined` where only force is left. */
  private async endGently(options: TerminateOptions): Promise<'exit' | 'stdin-end' | 'SIGTERM' | undefined> {
    const { closeGraceMs, terminateGraceMs, notBefore = 0 } = options;
    // Looks before it touches anything: while the leader lives, all its descendants can be found by their parents.
    if (await this.control.look()) return 'exit';

    this.target.endInput();
    if (await this.control.goneWithin(closeGraceMs)) return 'stdin-end';

    if (this.hurried || !(await this.control.askToEnd())) return undefined;
    const graceMs = Math.max(terminateGraceMs, notBefore - performance.now());
    return (await this.control.goneWithin(graceMs)) ? 'SIGTERM' : undefined;
  }
}
