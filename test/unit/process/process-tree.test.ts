import { describe, expect, test } from 'vitest';
import { ProcessTree } from '../../../src/process/process-tree.ts';
import { record, tableOf } from './fake-processes.ts';

function treeWithGroups(...existing: number[]) {
  const groups = new Set(existing);
  return { tree: new ProcessTree('ours', record(10), (groupId) => groups.has(groupId)), groups };
}

const pids = (tree: ProcessTree) => tree.members.map(({ pid }) => pid);

describe('ProcessTree', () => {
  test('is gone when the leader has exited and neither a member nor a group is left', () => {
    const { tree } = treeWithGroups();
    tree.noteLeaderExit(0);
    tree.update(tableOf({}), 1);
    expect(tree.provenGone).toBe(true);
  });

  test('X09: is gone for good, whoever gets the numbers later', () => {
    const { tree } = treeWithGroups();
    tree.noteLeaderExit(0);
    tree.update(tableOf({}), 1);
    tree.update(tableOf({ 12: { sessionId: 10 } }), 2);
    expect(pids(tree)).toEqual([]);
    expect(tree.provenGone).toBe(true);
  });

  test('a group that exists without a visible member needs five looks', () => {
    const { tree } = treeWithGroups(10);
    tree.noteLeaderExit(0);
    const proofs = [1, 2, 3, 4, 5].map((now) => {
      tree.update(tableOf({}), now);
      return tree.provenGone;
    });
    expect(proofs).toEqual([false, false, false, false, true]);
  });

  test('X10: zombies are no members, but their group needs the five looks', () => {
    const { tree, groups } = treeWithGroups(10);
    tree.noteLeaderExit(0);
    tree.update(tableOf({ 11: { groupId: 10, dead: true } }), 1);
    expect(pids(tree)).toEqual([]);
    expect(tree.provenGone).toBe(false);
    groups.clear();
    tree.update(tableOf({}), 2);
    expect(tree.provenGone).toBe(true);
  });

  test('a living member starts the count again', () => {
    const { tree } = treeWithGroups(10);
    tree.noteLeaderExit(0);
    for (let now = 1; now < 5; now += 1) tree.update(tableOf({}), now);
    tree.update(tableOf({ 11: { groupId: 10 } }), 5);
    tree.update(tableOf({}), 6);
    expect(tree.provenGone).toBe(false);
  });

  test.each([
    ['a process in the middle of an exec may hold our lease', tableOf({ 30: { lease: undefined } })],
    ['a process that vanished during the look may have forked', tableOf({}, { vanished: true })],
  ])('no proof: %s', (_, table) => {
    const { tree } = treeWithGroups();
    tree.noteLeaderExit(0);
    tree.update(table, 1);
    expect(tree.provenGone).toBe(false);
    tree.update(tableOf({}), 2);
    expect(tree.provenGone).toBe(true);
  });

  test('a table without the host proves nothing and changes nothing', () => {
    const { tree } = treeWithGroups();
    tree.update(tableOf({ 10: {}, 11: { parentPid: 10 } }), 1);
    tree.noteLeaderExit(2);
    tree.update(tableOf({}, { withHost: false }), 3);
    expect(pids(tree)).toEqual([11]);
    expect(tree.provenGone).toBe(false);
  });

  test('where no process can be seen, the leader’s group is what there is to go by', () => {
    const { tree, groups } = treeWithGroups(10);
    const look = (now: number) => {
      tree.update(tableOf({}, { withHost: false, unavailable: true }), now);
      return { members: pids(tree), gone: tree.provenGone };
    };
    expect(look(1)).toEqual({ members: [10], gone: false });
    tree.noteLeaderExit(2);
    expect(look(3)).toEqual({ members: [10], gone: false });
    groups.clear();
    expect(look(4)).toEqual({ members: [], gone: true });
  });

  test('X05: what the leader leaves behind is seen in its session, and remembered by pid and start time', () => {
    const { tree } = treeWithGroups(10);
    tree.noteLeaderExit(0);
    tree.update(tableOf({ 11: { groupId: 10 } }), 1);
    tree.update(tableOf({ 11: { groupId: 10 } }), 60_000);
    expect(pids(tree)).toEqual([11]);
    tree.update(tableOf({ 11: { groupId: 10, startTime: 200 } }), 120_000);
    expect(pids(tree)).toEqual([]);
  });

  test('a leader whose exit event can’t come any more is gone as a zombie', () => {
    const { tree } = treeWithGroups();
    tree.update(tableOf({ 10: {} }), 1);
    expect(tree.provenGone).toBe(false);
    tree.update(tableOf({ 10: { dead: true } }), 2);
    expect(tree.provenGone).toBe(true);
  });
});
