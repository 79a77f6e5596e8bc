import { describe, expect, it } from 'vitest';
import { KnownSessions } from '../../../src/session/known-sessions.ts';

const p = { projectId: 'p', cwd: '/p' };
const q = { projectId: 'q', cwd: '/q' };

describe('known sessions', () => {
  it('says where an id belongs', () => {
    const known = new KnownSessions();
    known.add('a', p);
    expect(known.get('a')).toMatchObject(p);
    expect(known.get('b')).toBeUndefined();
  });

  it('leads from a lost session to the one that stands in for it, over several', () => {
    const known = new KnownSessions();
    known.add('a', p);
    known.replace('a', 'b', p);
    known.replace('b', 'c', p);
    expect(['a', 'b', 'c', 'd'].map((id) => known.current(id))).toEqual(['c', 'c', 'c', 'd']);
    expect(known.get('a')).toMatchObject(p);
    known.add('a', p);
    expect(known.current('a')).toBe('c');
  });

  it('believes that a session is back, and never goes round in circles', () => {
    const known = new KnownSessions();
    known.replace('a', 'b', p);
    known.replace('b', 'a', p);
    expect(known.current('a')).toBe('a');
    expect(known.current('b')).toBe('a');
  });

  it('forgets a project', () => {
    const known = new KnownSessions();
    known.add('a', p);
    known.add('b', q);
    known.forget('p');
    expect([known.get('a'), known.get('b')]).toMatchObject([undefined, q]);
  });

  it('is bounded: the oldest go first', () => {
    const known = new KnownSessions();
    for (let index = 0; index < 10_001; index += 1) known.add(`s${index}`, p);
    expect(known.get('s0')).toBeUndefined();
    expect(known.get('s1')).toBeDefined();
  });
});
