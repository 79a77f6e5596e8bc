import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PosixTreeControl } from '../../../src/process/posix-tree-control.ts';
import { ProcessScanner } from '../../../src/process/process-scanner.ts';
import type { ProcessRecord } from '../../../src/process/process-table.ts';
import { host, hostPid, record, unreal } from './fake-processes.ts';

const leader = unreal(10);

/** Processes that no signal ends: their pids don't exist. */
function controlOver(records: ProcessRecord[], readable = true) {
  const reader = {
    readAll: () => ({ records: readable ? [host, ...records] : [], vanished: false }),
    readOne: (pid: number) => records.find((one) => one.pid === pid),
    isAlive: () => true,
    readLease: () => null,
  };
  const target = {
    pid: leader,
    lease: 'ours',
    exited: new Promise(() => undefined),
    endInput: () => undefined,
  };
  return new PosixTreeControl(target, new ProcessScanner(reader, hostPid));
}

describe('what survives SIGKILL', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function survivors(control: PosixTreeControl) {
    const killing = control.kill();
    await vi.advanceTimersByTimeAsync(10_000);
    return killing;
  }

  test('is told, after a bounded time', async () => {
    const control = controlOver([record(leader), record(unreal(11), { parentPid: leader })]);
    expect(await survivors(control)).toEqual([leader, unreal(11)]);
  });

  test('is told without the leader when that has exited', async () => {
    const records = [record(leader), record(unreal(11), { groupId: leader })];
    const control = controlOver(records);
    records.shift();
    control.noteExit();
    expect(await survivors(control)).toEqual([unreal(11)]);
  });

  test('is taken to be the leader where processes can’t be read: nothing is proven then', async () => {
    const control = controlOver([], false);
    control.noteExit();
    expect(await survivors(control)).toEqual([leader]);
  });
});

test('what appears while the tree is being stopped is stopped too, before the first SIGKILL', async () => {
  const records = [record(leader)];
  const sent: string[] = [];
  const kill = vi.spyOn(process, 'kill').mockImplementation((target, signal) => {
    if (signal === 0) throw Object.assign(new Error('gone'), { code: 'ESRCH' });
    sent.push(`${signal} ${target + unreal(0)}`);
    if (signal === 'SIGSTOP' && records.length === 1) records.push(record(unreal(11), { parentPid: leader }));
    if (signal === 'SIGKILL') records.length = 0;
    return true;
  });
  try {
    const control = controlOver(records);
    const killing = control.kill();
    await vi.waitUntil(() => records.length === 0);
    control.noteExit();
    expect(await killing).toEqual([]);
  } finally {
    kill.mockRestore();
  }
  expect(sent).toEqual(['SIGSTOP -10', 'SIGSTOP -11', 'SIGKILL -10', 'SIGKILL -11']);
});

test('a leader that ended and left nothing is proven gone by the look in its exit handler', async () => {
  const records = [record(leader)];
  const control = controlOver(records);
  records.shift();
  control.noteExit();
  expect(await control.goneWithin(0)).toBe(true);
  expect(control.isAliveNow()).toBe(false);
});

test('hurry ends the waiting that is under way, and all later waiting', async () => {
  const control = controlOver([record(leader)]);
  const waiting = control.goneWithin(600_000);
  control.hurry();
  expect(await waiting).toBe(false);
  expect(await control.goneWithin(600_000)).toBe(false);
});
