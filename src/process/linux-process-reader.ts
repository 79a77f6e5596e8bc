import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { leaseVariable } from './lease.ts';
import type { LeaseReading, ProcessListing, ProcessReader, ProcessRecord } from './process-table.ts';

const kernelThread = 0x0020_0000;
const digitZero = 48;
const digitNine = 57;

// One buffer for all reads, of which a scan makes hundreds. A stat line is far shorter; few environments are longer.
const buffer = Buffer.allocUnsafe(64 * 1024);

/** Parses a line of `/proc/PID/stat`; `undefined` for a kernel thread, which is never an agent's. */
export function parseProcStat(line: string): ProcessRecord | undefined {
  // The command's name stands in parentheses and may hold anything, parentheses and line breaks included.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  if ((Number(fields[6]) & kernelThread) !== 0) return undefined;
  const state = fields[0];
  return {
    pid: Number.parseInt(line, 10),
    parentPid: Number(fields[1]),
    groupId: Number(fields[2]),
    sessionId: Number(fields[3]),
    startTime: Number(fields[19]),
    // A process whose first thread has ended shows Z while its other threads go on working.
    dead: state === 'X' || (state === 'Z' && Number(fields[17]) <= 1),
  };
}

/** Finds the lease in the bytes of `/proc/PID/environ`. */
export function parseLease(environment: Buffer): LeaseReading {
  // Empty while the process is in the middle of an exec: it may hold a lease a moment later.
  if (environment.length === 0) return undefined;
  const assignment = `\0${leaseVariable}=`;
  const text = `\0${environment.toString('latin1')}\0`;
  const start = text.indexOf(assignment);
  if (start < 0) return null;
  const valueStart = start + assignment.length;
  return text.slice(valueStart, text.indexOf('\0', valueStart));
}

function readIntoBuffer(path: string): number {
  const descriptor = openSync(path, 'r');
  try {
    return readSync(descriptor, buffer);
  } finally {
    closeSync(descriptor);
  }
}

function readStat(pid: number | string): ProcessRecord | undefined {
  return parseProcStat(buffer.toString('latin1', 0, readIntoBuffer(`/proc/${pid}/stat`)));
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
const hasEnded = (error: unknown) => codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH';
/** Out of file descriptors: nothing can be seen, which is not the same as nothing being there. */
const isBlind = (error: unknown) => codeOf(error) === 'EMFILE' || codeOf(error) === 'ENFILE';

function readAll(): ProcessListing {
  const records: ProcessRecord[] = [];
  let vanished = false;
  const names = listProc();
  if (names === undefined) return { records, vanished };
  const pids = names.filter(isPid);
  if (pids.length === 0) return { records, vanished, unavailable: true };
  for (const name of pids) {
    try {
      const record = readStat(name);
      if (record) records.push(record);
    } catch (error) {
      if (isBlind(error)) return { records: [], vanished };
      if (hasEnded(error)) vanished = true;
    }
  }
  return { records, vanished };
}

function isPid(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= digitZero && first <= digitNine;
}

/** `undefined` where it can't be told for now. */
function listProc(): string[] | undefined {
  try {
    return readdirSync('/proc');
  } catch (error) {
    return isBlind(error) ? undefined : [];
  }
}

function readOne(pid: number): ProcessRecord | undefined {
  try {
    return readStat(pid);
  } catch {
    return undefined;
  }
}

function isAlive(record: ProcessRecord): boolean {
  try {
    const current = readStat(record.pid);
    return current?.startTime === record.startTime && !current.dead;
  } catch (error) {
    return isBlind(error);
  }
}

function readLease(pid: number): LeaseReading {
  try {
    const path = `/proc/${pid}/environ`;
    const length = readIntoBuffer(path);
    return parseLease(length < buffer.length ? buffer.subarray(0, length) : readFileSync(path));
  } catch (error) {
    // Gone, or another user's: a lease that can't be read proves nothing.
    return isBlind(error) ? undefined : null;
  }
}

/** Reads `/proc`: sessions, exact start times and leases. */
export const linuxProcessReader: ProcessReader = { readAll, readOne, isAlive, readLease };
