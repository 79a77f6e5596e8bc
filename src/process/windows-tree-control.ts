import { execFile, spawnSync } from 'node:child_process';
import { settledWithin } from '../internal/deadline.ts';
import { deferred } from '../internal/deferred.ts';
import { processExists } from './send-signal.ts';
import type { TerminationTarget, TreeControl } from './tree-control.ts';

const taskkillTimeoutMs = 5_000;
const killTimeoutMs = 3_000;

/** Runs `taskkill` for one pid; how it went is seen at the process, not at its exit code. */
export interface Taskkill {
  run(pid: number): Promise<void>;
  runNow(pid: number): void;
}

const arguments_ = (pid: number) => ['/PID', String(pid), '/T', '/F'];

const taskkill: Taskkill = {
  run: (pid) =>
    new Promise((resolve) => {
      const options = { timeout: taskkillTimeoutMs, windowsHide: true };
      execFile('taskkill', arguments_(pid), options, () => resolve());
    }),
  runNow: (pid) => {
    spawnSync('taskkill', arguments_(pid), {
      timeout: taskkillTimeoutMs,
      windowsHide: true,
      stdio: 'ignore',
    });
  },
};

/**
 * Ends a tree on Windows with `taskkill /T /F`. There is no SIGTERM there, and no group: only descendants whose
 * parents are all alive are found, so nothing can be done, or proven, about those that outlive the leader.
 * Tested with an injected `taskkill` only, never on Windows itself.
 */
export class WindowsTreeControl implements TreeControl {
  private readonly target: TerminationTarget;
  private readonly taskkill: Taskkill;
  private readonly exited = deferred<void>();
  private readonly hurried = deferred<void>();
  private leaderExited = false;

  constructor(target: TerminationTarget, run: Taskkill = taskkill) {
    this.target = target;
    this.taskkill = run;
  }

  noteExit(): void {
    this.leaderExited = true;
    this.exited.resolve();
  }

  hurry(): void {
    this.hurried.resolve();
  }

  look(): Promise<boolean> {
    return Promise.resolve(this.leaderExited);
  }

  async goneWithin(timeoutMs: number): Promise<boolean> {
    await settledWithin(Promise.race([this.exited.promise, this.hurried.promise]), timeoutMs);
    return this.leaderExited;
  }

  askToEnd(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async kill(): Promise<readonly number[]> {
    // Once the leader has exited, its pid may be a stranger's.
    if (!this.leaderExited) await this.taskkill.run(this.target.pid);
    await settledWithin(this.exited.promise, killTimeoutMs);
    return this.leaderExited ? [] : [this.target.pid];
  }

  signalNow(signal: 'SIGTERM' | 'SIGSTOP' | 'SIGKILL'): number {
    if (signal !== 'SIGKILL' || this.leaderExited) return 0;
    this.taskkill.runNow(this.target.pid);
    return 1;
  }

  isAliveNow(): boolean {
    return !this.leaderExited && processExists(this.target.pid);
  }
}
