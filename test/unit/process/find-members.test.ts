import { describe, expect, test } from 'vitest';
import { findMembers, sessionMemoryMs } from '../../../src/process/find-members.ts';
import { hostPid, tableOf, type Seen } from './fake-processes.ts';

interface Case {
  readonly name: string;
  readonly processes: Readonly<Record<number, Seen>>;
  /** pid → start time; by default the leader, 10, that started at 100. */
  readonly known?: readonly (readonly [number, number])[];
  /** session → milliseconds since it was seen. */
  readonly sessions?: readonly (readonly [number, number])[];
  readonly members: readonly number[];
}

const cases: Case[] = [
  { name: 'the leader', processes: { 10: {} }, members: [10] },
  { name: 'X09: a stranger with the leader’s pid', processes: { 10: { startTime: 101 } }, members: [] },
  {
    name: 'X09: nor the children and the session of such a stranger',
    processes: { 10: { startTime: 101 }, 11: { parentPid: 10 }, 12: { sessionId: 10 } },
    sessions: [[10, 0]],
    members: [],
  },
  {
    name: 'children and grandchildren, whatever their group and session',
    processes: { 10: {}, 11: { parentPid: 10 }, 12: { parentPid: 11, groupId: 11 } },
    members: [10, 11, 12],
  },
  {
    name: 'a double fork with the lease, and what it started without',
    processes: { 10: {}, 20: { parentPid: 1, lease: 'ours' }, 21: { parentPid: 20, lease: null } },
    members: [10, 20, 21],
  },
  {
    name: 'not another agent’s',
    processes: { 10: {}, 20: { parentPid: hostPid, lease: 'theirs' }, 21: { parentPid: 20 } },
    members: [10],
  },
  {
    name: 'an orphan in a session with a verified member',
    processes: { 11: { groupId: 10 }, 12: { groupId: 12, sessionId: 10 } },
    known: [[11, 100]],
    members: [11, 12],
  },
  {
    name: 'an orphan in the session of a zombie that is known',
    processes: { 11: { groupId: 10, dead: true }, 12: { groupId: 10 } },
    known: [[11, 100]],
    members: [11, 12],
  },
  {
    name: 'an orphan in a session that was ours a moment ago',
    processes: { 12: { groupId: 12, sessionId: 10 } },
    sessions: [[10, sessionMemoryMs - 1]],
    members: [12],
  },
  {
    name: 'not in a session that was ours too long ago',
    processes: { 12: { groupId: 12, sessionId: 10 } },
    sessions: [[10, sessionMemoryMs]],
    members: [],
  },
  {
    name: 'never the host, its session or its other children',
    processes: {
      10: { sessionId: hostPid, groupId: hostPid },
      30: { parentPid: hostPid, sessionId: hostPid },
    },
    members: [10],
  },
  {
    name: 'not session 0: its leader is outside this namespace',
    processes: { 10: { sessionId: 0, groupId: 0 }, 30: { sessionId: 0, groupId: 0 } },
    members: [10],
  },
];

describe('findMembers', () => {
  test.each(cases)('$name', ({ processes, known = [[10, 100]], sessions = [], members }) => {
    const now = 50_000;
    const traces = {
      lease: 'ours',
      known: new Map(known),
      sessions: new Map(sessions.map(([id, agoMs]) => [id, now - agoMs])),
    };
    const found = findMembers(tableOf(processes), traces, now).map(({ pid }) => pid);
    expect(found.sort((a, b) => a - b)).toEqual(members);
  });
});
