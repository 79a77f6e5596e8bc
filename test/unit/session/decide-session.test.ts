import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  decideReplacement,
  decideSession,
  type LiveSession,
  type SessionDecision,
  type WantedSession,
} from '../../../src/session/decide-session.ts';
import type { KnownSession } from '../../../src/session/known-sessions.ts';
import type { StoredPointer } from '../../../src/session/session-store.ts';

const wanted: WantedSession = {
  projectId: 'p',
  cwd: '/p',
  agentId: 'agent',
  fingerprint: { model: 'a', rest: 'r' },
};
const live: LiveSession = {
  sessionId: 'live',
  cwd: '/p',
  agentId: 'agent',
  fingerprint: { model: 'a', rest: 'r' },
  healthy: true,
  turnActive: false,
  prompted: true,
};
const none: StoredPointer = { status: 'none' };
const unreadable: StoredPointer = { status: 'unreadable', problem: 'its version is 2, not 1' };
const stored = (changes: object = {}): StoredPointer => ({
  status: 'found',
  pointer: {
    v: 1,
    sessionId: 'stored',
    previousSessionIds: [],
    cwd: '/p',
    agentId: 'agent',
    updatedAt: '2026-01-01T00:00:00Z',
    ...changes,
  },
});

interface Situation {
  readonly wants?: Partial<WantedSession>;
  readonly live?: Partial<LiveSession>;
  readonly stored?: StoredPointer;
  readonly known?: KnownSession;
}

function decide(situation: Situation): SessionDecision {
  return decideSession(
    { ...wanted, ...situation.wants },
    situation.live && { ...live, ...situation.live },
    situation.stored ?? none,
    situation.known,
  );
}

const resume = (resumeSessionId: string) => ({ action: 'open', resumeSessionId });
const fresh = (reason?: string, previousSessionId?: string) => ({
  action: 'open',
  ...(reason !== undefined && { reason }),
  ...(previousSessionId !== undefined && { previousSessionId }),
});
const otherModel = { fingerprint: { model: 'b', rest: 'r' } };
const otherRest = { fingerprint: { model: 'a', rest: 's' } };

describe('which session serves a request', () => {
  test.each<[string, Situation, object]>([
    // Nothing is live.
    ['nothing is known', {}, fresh()],
    ['a pointer', { stored: stored() }, resume('stored')],
    ['a pointer of another cwd (B19)', { stored: stored({ cwd: '/q' }) }, fresh('cwd-changed', 'stored')],
    ['a pointer of another agent', { stored: stored({ agentId: 'x' }) }, fresh('agent-changed', 'stored')],
    ['a record that can not be read', { stored: unreadable }, fresh('pointer-unreadable')],
    ['an id is asked for', { wants: { sessionId: 'asked' }, stored: stored() }, resume('asked')],
    ["the pointer's id is asked for", { wants: { sessionId: 'stored' }, stored: stored() }, resume('stored')],
    [
      "the pointer's id is asked of another agent",
      { wants: { sessionId: 'stored' }, stored: stored({ agentId: 'x' }) },
      fresh('agent-changed', 'stored'),
    ],
    [
      'a new session is asked for',
      { wants: { newSession: true }, stored: stored() },
      fresh('new-session-asked', 'stored'),
    ],
    [
      'a new session beside an id',
      { wants: { newSession: true, sessionId: 'asked' } },
      fresh('new-session-asked'),
    ],

    // A session is live.
    ['it fits', { live: {} }, { action: 'reuse' }],
    ['it fits, whatever is stored', { live: {}, stored: unreadable }, { action: 'reuse' }],
    ['its id is asked for', { live: {}, wants: { sessionId: 'live' } }, { action: 'reuse' }],
    ['it fits in mid-turn: the prompt queues', { live: { turnActive: true } }, { action: 'reuse' }],
    ['X15: another model', { live: {}, wants: otherModel }, { action: 'switch-model' }],
    ['another environment', { live: {}, wants: otherRest }, resume('live')],
    ['B23: it crashed', { live: { healthy: false } }, resume('live')],
    ['it crashed in mid-turn', { live: { healthy: false, turnActive: true } }, resume('live')],
    ['another id is asked for', { live: {}, wants: { sessionId: 'asked' } }, resume('asked')],
    [
      'a new session is asked for',
      { live: {}, wants: { newSession: true } },
      fresh('new-session-asked', 'live'),
    ],
    ['another cwd', { live: {}, wants: { cwd: '/q' } }, fresh('cwd-changed', 'live')],
    ['another agent', { live: {}, wants: { agentId: 'x' } }, fresh('agent-changed', 'live')],

    // A session is live in which nothing was said.
    ['another environment', { live: { prompted: false }, wants: otherRest }, fresh('never-prompted', 'live')],
    [
      'another environment, a pointer',
      { live: { prompted: false }, wants: otherRest, stored: stored() },
      resume('stored'),
    ],
    [
      'it crashed, a pointer',
      { live: { prompted: false, healthy: false }, stored: stored() },
      resume('stored'),
    ],
    [
      'back to the cwd of the pointer',
      { live: { prompted: false, cwd: '/q' }, stored: stored() },
      resume('stored'),
    ],
    [
      'back to the agent of the pointer',
      { live: { prompted: false, agentId: 'x' }, stored: stored() },
      resume('stored'),
    ],
    [
      'a new session where another one was lost',
      { live: { prompted: false, standsInFor: 'lost' }, wants: { newSession: true } },
      fresh('new-session-asked', 'lost'),
    ],
  ])('%s: %o', (_name, situation, decision) => {
    expect(decide(situation)).toEqual(decision);
  });
});

describe('what is refused', () => {
  const inTurn = { turnActive: true };
  it.each<[string, Partial<WantedSession>]>([
    ['another model', otherModel],
    ['another environment', otherRest],
    ['another id', { sessionId: 'asked' }],
    ['a new session', { newSession: true }],
    ['another cwd', { cwd: '/q' }],
    ['another agent', { agentId: 'x' }],
  ])('%s in the middle of a turn, unless it was asked for', (_name, wants) => {
    expect(decide({ live: inTurn, wants })).toMatchObject({ action: 'refuse', code: 'session-busy' });
    expect(decide({ live: inTurn, wants: { ...wants, evenDuringTurn: true } }).action).not.toBe('refuse');
  });

  it('an id of another project, or of another directory', () => {
    const wants = { sessionId: 'asked' };
    const elsewhere = { projectId: 'other', cwd: '/p' };
    const moved = { projectId: 'p', cwd: '/q' };
    const refused = { action: 'refuse', code: 'session-conflict' };
    expect(decide({ wants, known: elsewhere })).toMatchObject(refused);
    expect(decide({ wants, known: moved })).toMatchObject({
      ...refused,
      why: expect.stringContaining('/q') as string,
    });
    expect(decide({ wants, known: moved, live: inTurn })).toMatchObject(refused);
    expect(decide({ wants, known: { projectId: 'p', cwd: '/p' } })).toEqual(resume('asked'));
    // It is not used then.
    expect(decide({ wants: { ...wants, newSession: true }, known: elsewhere })).toEqual(
      fresh('new-session-asked'),
    );
  });
});

describe('a model that could not be switched live', () => {
  it.each([
    [{}, none, resume('live')],
    [{ prompted: false }, stored(), resume('stored')],
    [{ prompted: false }, none, fresh('never-prompted', 'live')],
  ])('%o, %o', (changes, pointer, decision) => {
    expect(decideReplacement({ ...wanted, ...otherModel }, { ...live, ...changes }, pointer)).toEqual(
      decision,
    );
  });
});

it('decides the same without the store, whatever the store holds, unless a session is opened', () => {
  const maybe = <T>(value: T) => fc.option(fc.constant(value), { nil: undefined });
  const wants = fc.record({
    sessionId: fc.constantFrom(undefined, 'live', 'stored', 'asked'),
    newSession: fc.constantFrom(undefined, true),
    cwd: fc.constantFrom('/p', '/q'),
    agentId: fc.constantFrom('agent', 'x'),
    fingerprint: fc.record({ model: fc.constantFrom('a', 'b'), rest: fc.constantFrom('r', 's') }),
    evenDuringTurn: fc.constantFrom(undefined, true),
  });
  const lives = fc.record({
    standsInFor: fc.constantFrom(undefined, 'lost'),
    healthy: fc.boolean(),
    turnActive: fc.boolean(),
    prompted: fc.boolean(),
  });
  const pointers = fc.constantFrom<StoredPointer>(
    none,
    unreadable,
    stored(),
    stored({ cwd: '/q' }),
    stored({ agentId: 'x' }),
  );
  fc.assert(
    fc.property(
      wants,
      fc.option(lives, { nil: undefined }),
      pointers,
      maybe({ projectId: 'p', cwd: '/p' }),
      (asks, has, pointer, known) => {
        const without = decide({ wants: asks, live: has, known } as Situation);
        const withStore = decide({ wants: asks, live: has, known, stored: pointer } as Situation);
        if (without.action !== 'open') expect(withStore).toEqual(without);
        else expect(withStore.action).toBe('open');
        // A running turn is never ended by surprise.
        const ends = has?.turnActive === true && has.healthy && asks.evenDuringTurn !== true;
        if (ends) expect(['reuse', 'refuse']).toContain(withStore.action);
      },
    ),
  );
});
