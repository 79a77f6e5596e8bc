import { deferred, type Deferred } from '../internal/deferred.ts';
import { settledWithin } from '../internal/deadline.ts';
import type { ProcessRecord, ProcessTable } from './process-table.ts';
import type { ProcessScanner } from './process-scanner.ts';
import { ProcessTree } from './process-tree.ts';
import { processExists, sendSignal, signalTargets } from './send-signal.ts';
import type { TerminationTarget, TreeControl } from './tree-control.ts';

/** How long SIGKILL may take: a killed process with a lot of memory, or in the middle of I/O, needs its time. */
const killTimeoutMs = 3_000;
/** Between two rounds of SIGKILL. */
const killRoundMs = 100;
const freezeRounds = 8;
const shortestPollMs = 5;
const longestPollMs = 50;

/** Ends a tree by signals to its process groups; see `process-tree.ts` for how its processes are known. */
export class PosixTreeControl implements TreeControl {
  private readonly scanner: ProcessScanner;
  private readonly leaderPid: number;
  private readonly tree: ProcessTree;
  private readonly frozen = new Set<number>();
  private leaderExited = false;
  private hurried = false;
  private wake: Deferred<void> = deferred();

  constructor(target: TerminationTarget, scanner: ProcessScanner) {
    this.scanner = scanner;
    this.leaderPid = target.pid;
    const leader = scanner.reader.readOne(target.pid) ?? unseenLeader(target.pid);
    scanner.rememberLease(leader, target.lease);
    this.tree = new ProcessTree(target.lease, leader, (groupId) => processExists(-groupId));
  }

  noteExit(): void {
    if (this.leaderExited) return;
    this.leaderExited = true;
    this.tree.noteLeaderExit(performance.now());
    const table = this.scanner.readIfRested();
    if (table) this.tree.update(table, performance.now());
    else void this.look();
    this.wake.resolve();
  }

  hurry(): void {
    this.hurried = true;
    this.wake.resolve();
  }

  async look(): Promise<boolean> {
    if (!this.tree.provenGone) {
      const table = await this.scanner.next();
      this.tree.update(table, performance.now());
    }
    return this.tree.provenGone;
  }

  goneWithin(timeoutMs: number): Promise<boolean> {
    return this.waitUntilGone(timeoutMs, () => this.hurried);
  }

  async askToEnd(): Promise<boolean> {
    await this.look();
    this.signal('SIGTERM', this.tree.members);
    return true;
  }

  async kill(): Promise<readonly number[]> {
    const deadline = performance.now() + killTimeoutMs;
    do {
      await this.freeze();
      this.signal('SIGKILL', this.tree.members);
      if (await this.waitUntilGone(killRoundMs, () => false)) return [];
    } while (performance.now() < deadline);
    const survivors = this.tree.members.map(({ pid }) => pid);
    // What can't be proven gone counts as alive.
    return survivors.length > 0 ? survivors : [this.leaderPid];
  }

  signalNow(signal: 'SIGTERM' | 'SIGSTOP' | 'SIGKILL', look: () => ProcessTable): number {
    if (this.tree.provenGone) return 0;
    this.tree.update(look(), performance.now());
    if (signal === 'SIGSTOP') return this.freezeNewcomers();
    this.signal(signal, this.tree.members);
    return this.tree.members.length;
  }

  isAliveNow(): boolean {
    return this.tree.members.some((member) =>
      member.startTime === unseen ? processExists(-member.groupId) : this.scanner.reader.isAlive(member),
    );
  }

  /** Between two looks: single reads of what is known. The leader's death is only ever taken from its event. */
  private seemsGone(): boolean {
    return this.leaderExited && !this.isAliveNow();
  }

  private async waitUntilGone(timeoutMs: number, mayStop: () => boolean): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    for (let pollMs = shortestPollMs; ; pollMs = Math.min(pollMs * 2, longestPollMs)) {
      if (this.seemsGone()) {
        if (await this.look()) return true;
        pollMs = shortestPollMs; // Only the proof is missing.
      }
      const left = deadline - performance.now();
      if (left <= 0 || mayStop()) return false;
      await this.pause(this.leaderExited ? Math.min(pollMs, left) : left);
    }
  }

  private async pause(timeoutMs: number): Promise<void> {
    await settledWithin(this.wake.promise, timeoutMs);
    this.wake = deferred();
  }

  /** What is stopped can't fork: once nobody new turns up, one SIGKILL reaches them all. */
  private async freeze(): Promise<void> {
    for (let round = 0; round < freezeRounds; round += 1) {
      await this.look();
      if (this.freezeNewcomers() === 0) return;
    }
  }

  private freezeNewcomers(): number {
    const newcomers = this.tree.members.filter(({ pid }) => !this.frozen.has(pid));
    for (const { pid } of newcomers) this.frozen.add(pid);
    this.signal('SIGSTOP', newcomers);
    return newcomers.length;
  }

  /** To be called in the tick of the look that showed the members. */
  private signal(signal: NodeJS.Signals, members: readonly ProcessRecord[]): void {
    for (const target of signalTargets(members, this.scanner.host)) sendSignal(target, signal);
  }
}

/** The start time of a leader that can't be read. */
const unseen = -1;

/** A leader that can't be read counts as what it was spawned as: the leader of its own group and session. */
function unseenLeader(pid: number): ProcessRecord {
  return { pid, parentPid: process.pid, groupId: pid, sessionId: pid, startTime: unseen, dead: false };
}
