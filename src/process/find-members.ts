import type { ProcessRecord, ProcessTable } from './process-table.ts';

/** What is remembered of a tree from one look to the next. */
export interface TreeTraces {
  readonly lease: string;
  /** Verified processes: pid → start time. */
  readonly known: ReadonlyMap<number, number>;
  /** Sessions that held a verified process: session id → when, in milliseconds. */
  readonly sessions: ReadonlyMap<number, number>;
}

/** How long a session counts as ours after the last verified process in it was seen. */
export const sessionMemoryMs = 1_000;

/**
 * The processes of a tree, zombies included, each of them verified: known by pid *and* start time, holding the
 * lease, in a session that is still ours, or the child of such a process in the same table. A pid alone never
 * counts: it may be a stranger's by now.
 */
export function findMembers(table: ProcessTable, traces: TreeTraces, now: number): ProcessRecord[] {
  const found = new Map<number, ProcessRecord>();
  const add = (records: readonly ProcessRecord[]) => {
    for (const record of records) if (record.pid !== table.host?.pid) found.set(record.pid, record);
  };
  for (const [pid, startTime] of traces.known) {
    const record = table.get(pid);
    if (record?.startTime === startTime) add([record]);
  }
  add(table.holding(traces.lease));
  for (const [sessionId, seenAt] of traces.sessions) {
    // The kernel gives a session's number to no new process while the session lives: a process that has it and
    // was not verified above is a stranger, who got the number after our session had ended.
    if (now - seenAt < sessionMemoryMs && !table.get(sessionId)) add(table.inSession(sessionId));
  }
  // Visits what is added on the way, too.
  for (const member of found.values()) {
    add(table.childrenOf(member.pid));
    add(table.inSession(member.sessionId));
  }
  return [...found.values()];
}
