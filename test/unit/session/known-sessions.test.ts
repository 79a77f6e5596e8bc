import { describe, expect, it } from 'vitest';
import { KnownSessions } from '../../../src/session/known-sessions.ts';

const p = { projectId: 'p', cwd: '/p' };
const q = { projectId: 'q', cwd: '/q' };

describe('known sessions', () => {
  it('says where an id belongs, whoever asks', () => {
    const known = new KnownSessions();
    known.add('a', p);
    expect(known.find('a', 'p')).toMatchObject(p);
    expect(known.find('a', 'q')).toMatchObject(p);
    expect(known.find('b', 'p')).toBeUndefined();
  });

  it('may know one id for several projects: agents number their sessions', () => {
    const known = new KnownSessions();
    known.add('session-1', p);
    known.add('session-1', q);
    expect(known.find('session-1', 'p')).toMatchObject(p);
    expect(known.find('session-1', 'q')).toMatchObject(q);
    known.forget('p');
    expect(known.find('session-1', 'p')).toMatchObject(q);
  });

  it('leads from a lost session to the one that stands in for it, over several', () => {
    const known = new KnownSessions();
    known.add('a', p);
    known.replace('a', 'b', p);
    known.replace('b', 'c', p);
    expect(['a', 'b', 'c', 'd'].map((id) => known.current(id, 'p'))).toEqual(['c', 'c', 'c', 'd']);
    expect(known.find('a', 'p')).toMatchObject(p);
    known.add('a', p);
    expect(known.current('a', 'p')).toBe('c');
  });

  it('leads no project to the session of another', () => {
    const known = new KnownSessions();
    known.replace('session-1', 'session-2', p);
    known.add('session-1', q);
    expect(known.current('session-1', 'q')).toBe('session-1');
    known.replace('session-2', 'session-9', q);
    expect(known.current('session-1', 'p')).toBe('session-2');
  });

  it('believes that a session is back, and never goes round in circles', () => {
    const known = new KnownSessions();
    known.replace('a', 'b', p);
    known.replace('b', 'a', p);
    expect(known.current('a', 'p')).toBe('a');
    expect(known.current('b', 'p')).toBe('a');
    known.replace('a', 'a', p);
    expect(known.current('a', 'p')).toBe('a');
  });

  it('forgets a project', () => {
    const known = new KnownSessions();
    known.add('a', p);
    known.add('b', q);
    known.forget('p');
    expect([known.find('a', 'p'), known.find('b', 'q')]).toMatchObject([undefined, q]);
  });

  it('is bounded: the oldest go first, in whichever project', () => {
    const known = new KnownSessions();
    known.add('s', q);
    for (let index = 0; index < 10_000; index += 1) known.add('s', { projectId: `p${index}`, cwd: '/p' });
    expect(known.find('s', 'q')).not.toMatchObject(q);
    expect(known.find('s', 'p0')).toMatchObject({ projectId: 'p0' });
    for (let index = 0; index < 10_000; index += 1) known.add(`s${index}`, p);
    expect(known.find('s', 'p0')).toBeUndefined();
  });
});
