import { linuxProcessReader } from './linux-process-reader.ts';
import { ProcessTable, type LeaseReading, type ProcessReader, type ProcessRecord } from './process-table.ts';
import { psProcessReader } from './ps-process-reader.ts';

/** After a scan, three times its cost passes without another one: a quarter of the time at most goes into it. */
const restFactor = 3;
const longestRestMs = 100;

interface LeaseEntry {
  readonly startTime: number;
  readonly lease: LeaseReading;
}

/**
 * Reads process tables, one for all trees that are waiting for one: with a hundred agents that close together, a scan
 * for each of them would block the event loop for a second. No table is handed out a second time: what is older than
 * an exit, or a spawn, says nothing about what it left behind.
 */
export class ProcessScanner {
  readonly reader: ProcessReader;
  private readonly hostPid: number;
  /** Of the processes of the last scan: each environment is read once in the life of its process. */
  private leases = new Map<number, LeaseEntry>();
  private ownRecord: ProcessRecord | undefined;
  private restUntil = 0;
  private coming: Promise<ProcessTable> | undefined;

  constructor(reader: ProcessReader, hostPid: number = process.pid) {
    this.reader = reader;
    this.hostPid = hostPid;
  }

  /** The host as a process: its pid and group are never to be signalled. */
  get host(): Pick<ProcessRecord, 'pid' | 'groupId'> {
    this.ownRecord ??= this.reader.readOne(this.hostPid);
    return this.ownRecord ?? { pid: this.hostPid, groupId: 0 };
  }

  /** Spares the reading of a lease that was given out just now. */
  rememberLease({ pid, startTime }: ProcessRecord, lease: string): void {
    this.leases.set(pid, { startTime, lease });
  }

  /** A table read after this call, shared with everybody who is waiting for one. */
  next(): Promise<ProcessTable> {
    this.coming ??= new Promise((resolve) => {
      const read = () => {
        this.coming = undefined;
        resolve(this.read());
      };
      const rest = this.restUntil - performance.now();
      if (rest > 0) setTimeout(read, rest);
      else setImmediate(read);
    });
    return this.coming;
  }

  /** A table read in this very call, unless the last one is too recent: then `undefined`, and `next` has to do. */
  readIfRested(): ProcessTable | undefined {
    return performance.now() < this.restUntil ? undefined : this.read();
  }

  /** A table read in this very call, whatever it costs. */
  read(): ProcessTable {
    const start = performance.now();
    const listing = this.reader.readAll();
    const table = new ProcessTable(listing, this.readLeases(listing.records), this.hostPid);
    this.ownRecord = table.host ?? this.ownRecord;
    const end = performance.now();
    this.restUntil = end + Math.min((end - start) * restFactor, longestRestMs);
    return table;
  }

  private readLeases(records: readonly ProcessRecord[]): Map<number, LeaseReading> {
    const hostStart = records.find((record) => record.pid === this.hostPid)?.startTime ?? 0;
    const entries = new Map<number, LeaseEntry>();
    const leases = new Map<number, LeaseReading>();
    for (const { pid, startTime } of records) {
      // What is older than the host holds no lease of it.
      if (startTime < hostStart) continue;
      const last = this.leases.get(pid);
      const seenBefore = last?.startTime === startTime;
      const lease = seenBefore && last.lease !== undefined ? last.lease : this.reader.readLease(pid);
      entries.set(pid, { startTime, lease });
      // Twice in a row is enough: some processes are started without any environment, and zombies may stay.
      leases.set(pid, lease === undefined && seenBefore ? null : lease);
    }
    this.leases = entries;
    return leases;
  }
}

/** The one scanner of this process, for all its trees. */
export const processScanner = new ProcessScanner(
  process.platform === 'linux' ? linuxProcessReader : psProcessReader,
);
