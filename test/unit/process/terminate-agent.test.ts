import { afterEach, expect, test } from 'vitest';
import { deferred } from '../../../src/internal/deferred.ts';
import { trackTree, type TrackedTree } from '../../../src/process/terminate-agent.ts';
import { FakeControl, type Rung } from './fake-control.ts';

const trees: TrackedTree[] = [];
const track = (control: FakeControl) => {
  const tree = trackTree(control.target, control);
  trees.push(tree);
  return tree;
};
afterEach(() => {
  for (const tree of trees.splice(0)) tree.release();
});

const graces = { closeGraceMs: 1_500, terminateGraceMs: 1_000 };
const gently: Rung[] = ['look', 'endInput', 'close grace', 'SIGTERM', 'terminate grace'];

test.each<[Rung, string, Rung[]]>([
  ['look', 'exit', gently.slice(0, 1)],
  ['close grace', 'stdin-end', gently.slice(0, 3)],
  ['terminate grace', 'SIGTERM', gently],
  ['kill', 'SIGKILL', [...gently, 'kill']],
])('B44: a tree that is gone after "%s" was ended by %s', async (goneAfter, endedBy, climbed) => {
  const control = new FakeControl(goneAfter);
  expect(await track(control).terminate(graces)).toEqual({ endedBy, survivors: [] });
  expect(control.climbed).toEqual(climbed);
});

test('the graces are the given ones', async () => {
  const control = new FakeControl('kill');
  await track(control).terminate(graces);
  expect(control.graces).toEqual([1_500, 1_000]);
});

test('B45: the flush time of a turn makes the last grace longer, never shorter', async () => {
  const flushing = new FakeControl('kill');
  await track(flushing).terminate({ ...graces, notBefore: performance.now() + 60_000 });
  expect(flushing.graces[1]).toBeGreaterThan(50_000);
  const flushed = new FakeControl('kill');
  await track(flushed).terminate({ ...graces, notBefore: performance.now() });
  expect(flushed.graces[1]).toBe(1_000);
});

test('a platform without SIGTERM goes from the end of stdin to force', async () => {
  const control = new FakeControl('kill', { hasSigterm: false });
  expect(await track(control).terminate(graces)).toEqual({ endedBy: 'SIGKILL', survivors: [] });
  expect(control.climbed).toEqual(['look', 'endInput', 'close grace', 'kill']);
});

test('a later call with now sends the running ladder to its end, without a SIGTERM on the way', async () => {
  const control = new FakeControl('kill');
  const tree = track(control);
  control.inNextGrace(() => void tree.terminate({ ...graces, now: true }));
  expect(await tree.terminate(graces)).toEqual({ endedBy: 'SIGKILL', survivors: [] });
  expect(control.climbed).toEqual(['look', 'endInput', 'close grace', 'kill']);
  expect(control.hurried).toBe(true);
});

test('calls share one ladder and one report', async () => {
  const control = new FakeControl('terminate grace');
  const tree = track(control);
  const reports = await Promise.all([tree.terminate(graces), tree.terminate(graces)]);
  reports.push(await tree.terminate({ ...graces, now: true }));
  expect(new Set(reports).size).toBe(1);
  expect(control.climbed).toEqual(gently);
});

test('after a report with survivors, another call tries again', async () => {
  const control = new FakeControl('kill');
  control.survivors = [[4711]];
  const tree = track(control);
  expect(await tree.terminate(graces)).toEqual({ endedBy: 'SIGKILL', survivors: [4711] });
  expect(await tree.terminate(graces)).toEqual({ endedBy: 'SIGKILL', survivors: [] });
});

test.each(['resolve', 'reject'] as const)(
  'the exit is noted even where nobody calls noteExit: %s',
  async (how) => {
    const exited = deferred<unknown>();
    const control = new FakeControl('look', { exited: exited.promise });
    track(control);
    exited[how](undefined);
    await Promise.resolve();
    expect(control.exits).toBe(1);
  },
);

test('B48: the host is listened to only while there are trees, with one listener for all of them', () => {
  const events = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const count = () => events.map((event) => process.listenerCount(event));
  const before = count();
  const many = Array.from({ length: 50 }, () => track(new FakeControl('look')));
  expect(count()).toEqual(before.map((listeners) => listeners + 1));
  for (const tree of many.slice(1)) tree.release();
  expect(count()).toEqual(before.map((listeners) => listeners + 1));
  many[0]?.release();
  many[0]?.release();
  expect(count()).toEqual(before);
});
