import { findMembers } from './find-members.ts';
import type { ProcessRecord, ProcessTable } from './process-table.ts';

/** So many looks that show nobody alive are proof where a group does not go away. */
const looksThatProve = 5;

/**
 * What is known about the processes of one agent. Holds no timer and sends no signal: it is shown tables and the
 * leader's exit, and says who is alive and whether all are proven gone.
 */
export class ProcessTree {
  private readonly lease: string;
  private readonly leader: ProcessRecord;
  private readonly groupExists: (groupId: number) => boolean;
  private known: ReadonlyMap<number, number>;
  private readonly sessions = new Map<number, number>();
  private readonly groups = new Set<number>();
  private living: readonly ProcessRecord[];
  private leaderExited = false;
  private emptyLooks = 0;
  private gone = false;

  constructor(lease: string, leader: ProcessRecord, groupExists: (groupId: number) => boolean) {
    this.lease = lease;
    this.leader = leader;
    this.groupExists = groupExists;
    this.known = new Map([[leader.pid, leader.startTime]]);
    this.living = [leader];
    this.groups.add(leader.groupId);
  }

  /** The verified processes that the last look showed alive. */
  get members(): readonly ProcessRecord[] {
    return this.living;
  }

  /** Nothing of the tree is left, and so nothing can come back: this never changes again. */
  get provenGone(): boolean {
    return this.gone;
  }

  /** The leader was reaped just now; up to this moment its session could be nobody else's. */
  noteLeaderExit(now: number): void {
    if (this.leaderExited) return;
    this.leaderExited = true;
    this.sessions.set(this.leader.sessionId, now);
    this.living = this.living.filter(({ pid }) => pid !== this.leader.pid);
  }

  update(table: ProcessTable, now: number): void {
    if (this.gone) return;
    if (table.unavailable) return this.updateBlindly();
    if (!table.complete) return;
    const members = findMembers(
      table,
      { lease: this.lease, known: this.known, sessions: this.sessions },
      now,
    );
    this.known = new Map(members.map(({ pid, startTime }) => [pid, startTime]));
    for (const { sessionId, groupId } of members) {
      if (sessionId > 0) this.sessions.set(sessionId, now);
      if (groupId > 0) this.groups.add(groupId);
    }
    this.living = members.filter(({ dead }) => !dead);
    this.emptyLooks = this.living.length > 0 ? 0 : this.emptyLooks + 1;
    this.gone = this.emptyLooks > 0 && this.leaderIsGone(table) && this.emptinessIsProof(table);
  }

  /** By signals alone: who has left the leader's group can't be found then. A group's number is nobody else's while it exists. */
  private updateBlindly(): void {
    this.living = this.groupExists(this.leader.groupId) ? [this.leader] : [];
    this.gone = this.leaderExited && this.living.length === 0;
  }

  /** Its exit event is the proof; where that can't come any more (the host is in `exit`), being a zombie is. */
  private leaderIsGone(table: ProcessTable): boolean {
    return this.leaderExited || table.get(this.leader.pid)?.dead !== false;
  }

  /**
   * Reading `/proc` takes time, in which a process may fork and go, and its child be missed. A group that does
   * not exist can't hide one. A group of zombies goes on existing, as does a number that is a stranger's by now.
   */
  private emptinessIsProof(table: ProcessTable): boolean {
    if (this.emptyLooks >= looksThatProve) return true;
    for (const groupId of this.groups) if (!this.groupExists(groupId)) this.groups.delete(groupId);
    return this.groups.size === 0 && !table.undecided;
  }
}
