import { expect, test } from 'vitest';
import { deferred } from '../../../src/internal/deferred.ts';
import { trackTree } from '../../../src/process/terminate-agent.ts';
import { WindowsTreeControl } from '../../../src/process/windows-tree-control.ts';
import { unreal } from './fake-processes.ts';

const pid = unreal(10);

/** A process that leaves at a given event, and a `taskkill` that records its calls. */
function agentThat(leavesOn: 'stdin-end' | 'taskkill') {
  const exited = deferred<unknown>();
  const calls: string[] = [];
  const event = (name: string) => {
    calls.push(name);
    if (name === leavesOn) exited.resolve(undefined);
  };
  const target = { pid, lease: 'ours', exited: exited.promise, endInput: () => event('stdin-end') };
  const control = new WindowsTreeControl(target, {
    run: (killed) => {
      expect(killed).toBe(pid);
      event('taskkill');
      return Promise.resolve();
    },
    runNow: () => event('taskkill now'),
  });
  return { calls, control, tree: trackTree(target, control) };
}

test('an agent that follows the end of stdin is not killed', async () => {
  const { calls, tree } = agentThat('stdin-end');
  expect(await tree.terminate({ closeGraceMs: 60_000, terminateGraceMs: 60_000 })).toEqual({
    endedBy: 'stdin-end',
    survivors: [],
  });
  expect(calls).toEqual(['stdin-end']);
  tree.release();
});

test('another one is killed with its tree, after one grace: there is no SIGTERM to wait for', async () => {
  const { calls, tree } = agentThat('taskkill');
  expect(await tree.terminate({ closeGraceMs: 1, terminateGraceMs: 60_000 })).toEqual({
    endedBy: 'SIGKILL',
    survivors: [],
  });
  expect(calls).toEqual(['stdin-end', 'taskkill']);
  tree.release();
});

test('now: no grace', async () => {
  const { calls, tree } = agentThat('taskkill');
  await tree.terminate({ closeGraceMs: 60_000, terminateGraceMs: 60_000, now: true });
  expect(calls).toEqual(['stdin-end', 'taskkill']);
  tree.release();
});

test('X09: once the agent has exited its pid is left alone', async () => {
  const { calls, control, tree } = agentThat('taskkill');
  tree.noteExit();
  await tree.terminate({ closeGraceMs: 1, terminateGraceMs: 1, now: true });
  expect(await control.kill()).toEqual([]);
  expect(control.signalNow('SIGKILL')).toBe(0);
  expect(calls).toEqual([]);
  tree.release();
});

test('at the host’s exit only the last step kills', () => {
  const { calls, control, tree } = agentThat('taskkill');
  expect([control.signalNow('SIGTERM'), control.signalNow('SIGSTOP'), control.signalNow('SIGKILL')]).toEqual([
    0, 0, 1,
  ]);
  expect(calls).toEqual(['taskkill now']);
  tree.release();
});
