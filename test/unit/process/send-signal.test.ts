import { expect, test } from 'vitest';
import { processExists, signalTargets } from '../../../src/process/send-signal.ts';
import { host, record, unreal } from './fake-processes.ts';

test.each([
  ['a group once, by its number', [record(10), record(11, { groupId: 10 })], [-10]],
  ['each group of the tree', [record(10), record(12, { sessionId: 10 })], [-10, -12]],
  ['a member of the host’s group by its pid', [record(10, { groupId: host.groupId })], [10]],
  ['a member whose group lies outside the namespace by its pid', [record(10, { groupId: 0 })], [10]],
  ['never "every process there is"', [record(10, { groupId: 1 })], [10]],
  ['never init, never the host', [record(1), host], []],
])('signalTargets: %s', (_, members, targets) => {
  expect(signalTargets(members, host)).toEqual(targets);
});

test('processExists', () => {
  expect(processExists(process.pid)).toBe(true);
  expect(processExists(1)).toBe(true);
  expect(processExists(unreal(1))).toBe(false);
});
