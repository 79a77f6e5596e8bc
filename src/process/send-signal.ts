import type { ProcessRecord } from './process-table.ts';

/**
 * What to signal so that every one of `members` is reached, in the form that `kill` takes: whole groups
 * (negative), which also reach what is forked in this very moment, and single pids where the group isn't ours.
 * Pass members of one and the same table only: a group is safe to signal because a verified process was just
 * seen in it.
 */
export function signalTargets(
  members: readonly ProcessRecord[],
  host: Pick<ProcessRecord, 'pid' | 'groupId'>,
): number[] {
  const targets = new Set<number>();
  for (const { pid, groupId } of members) {
    // Group 0 lies outside our pid namespace; `kill(-1)` would mean every process there is.
    if (groupId > 1 && groupId !== host.groupId) targets.add(-groupId);
    else if (pid > 1 && pid !== host.pid) targets.add(pid);
  }
  return [...targets];
}

/** Sends a signal; that the target is gone, or may not be signalled, is for the next look to find out. */
export function sendSignal(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // ESRCH or EPERM.
  }
}

/** Whether a process (or, given a negative number, a member of a group) exists, be it as a zombie. */
export function processExists(target: number): boolean {
  try {
    process.kill(target, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
