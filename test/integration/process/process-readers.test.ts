import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLease, leaseVariable } from '../../../src/process/lease.ts';
import { linuxProcessReader } from '../../../src/process/linux-process-reader.ts';
import type { ProcessRecord } from '../../../src/process/process-table.ts';
import { psProcessReader } from '../../../src/process/ps-process-reader.ts';

const lease = createLease();
const child = spawn('sh', ['-c', 'echo ready; read line'], {
  detached: true,
  stdio: ['pipe', 'pipe', 'ignore'],
  env: { ...process.env, [leaseVariable]: lease },
});
const exited = once(child, 'exit');
const pid = child.pid ?? 0;

beforeAll(async () => {
  await once(child.stdout, 'data');
});
afterAll(() => child.kill('SIGKILL'));

const readers = platform() === 'linux' ? { linuxProcessReader, psProcessReader } : { psProcessReader };

// ps serves macOS; that it is read rightly shows on every system that has one.
describe.each(Object.entries(readers))('%s', (_, reader) => {
  const childIn = (records: readonly ProcessRecord[]) => records.find((one) => one.pid === pid);

  test('finds a child with its parent, group and session', () => {
    const record = childIn(reader.readAll().records);
    expect(record).toMatchObject({ pid, parentPid: process.pid, groupId: pid, sessionId: pid, dead: false });
    expect(record).toEqual(reader.readOne(pid));
    expect(record && reader.isAlive(record)).toBe(true);
  });

  test('finds the host itself', () => {
    expect(reader.readAll().records.some((one) => one.pid === process.pid)).toBe(true);
  });
});

test.runIf(platform() === 'linux')('the lease is read from the environment of a process', () => {
  expect(linuxProcessReader.readLease(pid)).toBe(lease);
});

test('a process that has ended is not alive, and is not found', async () => {
  const records = Object.values(readers).map((reader) => [reader, reader.readOne(pid)] as const);
  child.stdin.end();
  await exited;
  for (const [reader, record] of records) {
    expect(record && reader.isAlive(record)).toBe(false);
    expect(reader.readOne(pid)).toBeUndefined();
  }
});
