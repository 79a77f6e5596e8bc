import { expect, test } from 'vitest';
import { ProcessScanner } from '../../../src/process/process-scanner.ts';
import type {
  LeaseReading,
  ProcessListing,
  ProcessReader,
  ProcessRecord,
} from '../../../src/process/process-table.ts';
import { host, hostPid, record } from './fake-processes.ts';

class FakeReader implements ProcessReader {
  records: ProcessRecord[] = [host];
  leases: Record<number, LeaseReading> = {};
  scans = 0;
  readonly leaseReads: number[] = [];
  /** Milliseconds that a scan takes. */
  costMs = 0;

  readAll(): ProcessListing {
    this.scans += 1;
    const end = performance.now() + this.costMs;
    while (performance.now() < end);
    return { records: this.records, vanished: false };
  }

  readOne(pid: number): ProcessRecord | undefined {
    return this.records.find((one) => one.pid === pid);
  }

  isAlive(): boolean {
    return true;
  }

  readLease(pid: number): LeaseReading {
    this.leaseReads.push(pid);
    return this.leases[pid];
  }
}

function scannerOf(...records: ProcessRecord[]) {
  const reader = new FakeReader();
  reader.records.push(...records);
  return { reader, scanner: new ProcessScanner(reader, hostPid) };
}

test('all who wait share one scan', async () => {
  const { reader, scanner } = scannerOf();
  const tables = await Promise.all(Array.from({ length: 100 }, () => scanner.next()));
  expect(new Set(tables).size).toBe(1);
  expect(reader.scans).toBe(1);
});

test('a table is never older than the call', async () => {
  const { reader, scanner } = scannerOf();
  scanner.read();
  const coming = scanner.next();
  expect(reader.scans).toBe(1);
  await coming;
  expect(reader.scans).toBe(2);
});

test('readIfRested: not again right after a scan that took its time', () => {
  const { reader, scanner } = scannerOf();
  reader.costMs = 5;
  expect(scanner.readIfRested()).toBeDefined();
  expect(scanner.readIfRested()).toBeUndefined();
  expect(reader.scans).toBe(1);
});

test('each environment is read once in the life of its process, and again for another one with its pid', () => {
  const { reader, scanner } = scannerOf(record(10), record(11));
  reader.leases = { 10: 'ours', 11: null };
  expect([scanner.read(), scanner.read()].map((table) => table.holding('ours').length)).toEqual([1, 1]);
  expect(reader.leaseReads).toEqual([hostPid, 10, 11, hostPid]);
  reader.records = [host, record(10), record(11, { startTime: 200 })];
  reader.leases = { 11: 'ours' };
  expect(
    scanner
      .read()
      .holding('ours')
      .map(({ pid }) => pid),
  ).toEqual([10, 11]);
});

test('an environment that is not there yet is undecided once', () => {
  const { reader, scanner } = scannerOf(record(10));
  reader.leases = { [hostPid]: null };
  expect([scanner.read(), scanner.read()].map(({ undecided }) => undecided)).toEqual([true, false]);
  const other = scannerOf(record(10));
  other.reader.leases = { [hostPid]: null };
  other.scanner.read();
  other.scanner.read();
  other.reader.leases[10] = 'ours';
  expect(other.scanner.read().holding('ours')).toHaveLength(1);
});

test('a lease that was given out just now is not read back', () => {
  const { reader, scanner } = scannerOf(record(10));
  scanner.rememberLease(record(10), 'ours');
  expect(scanner.read().holding('ours')).toHaveLength(1);
  expect(reader.leaseReads).toEqual([hostPid]);
});

test('what is older than the host is not asked for a lease', () => {
  const { reader, scanner } = scannerOf(record(11, { startTime: 0 }));
  scanner.read();
  expect(reader.leaseReads).toEqual([hostPid]);
});
