import { ProcessTable, type LeaseReading, type ProcessRecord } from '../../../src/process/process-table.ts';

/** Beyond every kernel's `pid_max`: a signal to such a pid reaches nobody, even if a test goes wrong. */
export const unreal = (pid: number) => 5_000_000 + pid;

export const hostPid = unreal(1);
export const host: ProcessRecord = {
  pid: hostPid,
  parentPid: 0,
  groupId: hostPid,
  sessionId: hostPid,
  startTime: 1,
  dead: false,
};

export type Seen = Partial<Omit<ProcessRecord, 'pid'>> & { readonly lease?: LeaseReading };

/** A leader of its own group and session, started by nobody in the table, unless told otherwise. */
export function record(pid: number, seen: Seen = {}): ProcessRecord {
  const { parentPid = 0, groupId = pid, sessionId = groupId, startTime = 100, dead = false } = seen;
  return { pid, parentPid, groupId, sessionId, startTime, dead };
}

/** A table that holds the host and the given processes. */
export function tableOf(
  processes: Readonly<Record<number, Seen>>,
  { withHost = true, vanished = false, unavailable = false } = {},
): ProcessTable {
  const records = withHost ? [host] : [];
  const leases = new Map<number, LeaseReading>();
  for (const [pid, seen] of Object.entries(processes)) {
    records.push(record(Number(pid), seen));
    if ('lease' in seen) leases.set(Number(pid), seen.lease);
  }
  return new ProcessTable({ records, vanished, unavailable }, leases, hostPid);
}
