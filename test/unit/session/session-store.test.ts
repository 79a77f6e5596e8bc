import { describe, expect, it, test, vi } from 'vitest';
import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';
import {
  nextPointer,
  parsePointer,
  PointerStore,
  type SessionPointer,
} from '../../../src/session/session-store.ts';

const pointer: SessionPointer = {
  v: 1,
  sessionId: 's',
  previousSessionIds: ['r', 'q'],
  cwd: '/p',
  agentId: 'agent',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const never = () => new Promise<never>(() => undefined);
const store = (own: object = {}) => ({
  get: () => undefined,
  set: () => undefined,
  delete: () => undefined,
  ...own,
});

describe('parsePointer', () => {
  test.each<[string, unknown, string]>([
    ['text', 'not JSON', 'not an object'],
    ['a number', 7, 'not an object'],
    ['null', null, 'not an object'],
    ['a list', [], 'version'],
    ['an empty object', {}, 'version'],
    ['a newer version', { ...pointer, v: 2 }, 'its version is 2, not 1'],
    ['the version as text', { ...pointer, v: '1' }, 'version'],
    ['no session', { ...pointer, sessionId: undefined }, 'sessionId'],
    ['an empty session id', { ...pointer, sessionId: '' }, 'sessionId'],
    ['a cwd that is no text', { ...pointer, cwd: ['/p'] }, 'cwd'],
    ['no agent', { ...pointer, agentId: undefined }, 'agentId'],
    ['no time', { ...pointer, updatedAt: 7 }, 'updatedAt'],
  ])('reports %s', (_name, value, problem) => {
    expect(parsePointer(value)).toEqual({
      status: 'unreadable',
      problem: expect.stringContaining(problem) as string,
    });
  });

  it('takes what it knows, and leaves what a later version may add', () => {
    expect(parsePointer({ ...pointer, more: true })).toEqual({ status: 'found', pointer });
    const odd = { ...pointer, previousSessionIds: ['r', 7, null] };
    expect(parsePointer(odd)).toMatchObject({ pointer: { previousSessionIds: ['r'] } });
    expect(parsePointer({ ...pointer, previousSessionIds: undefined })).toMatchObject({
      pointer: { previousSessionIds: [] },
    });
  });
});

describe('nextPointer', () => {
  const now = { sessionId: 't', cwd: '/p', agentId: 'agent' };

  it('keeps what came before, newest first, each once', () => {
    expect(nextPointer(pointer, now).previousSessionIds).toEqual(['s', 'r', 'q']);
    expect(nextPointer(pointer, now, ['r', 't', 'x']).previousSessionIds).toEqual(['r', 'x', 's', 'q']);
    expect(nextPointer(pointer, { ...now, sessionId: 'r' }).previousSessionIds).toEqual(['s', 'q']);
    expect(nextPointer(undefined, now)).toEqual({
      v: 1,
      ...now,
      previousSessionIds: [],
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
  });

  it('keeps a bounded number', () => {
    let latest = pointer;
    for (let index = 0; index < 100; index += 1)
      latest = nextPointer(latest, { ...now, sessionId: `s${index}` });
    expect(latest.previousSessionIds).toHaveLength(20);
    expect(latest.previousSessionIds[0]).toBe('s98');
  });
});

describe('PointerStore', () => {
  it.each([
    ['hides its failures', store({ throwOnErrors: false })],
    ['has no get', store({ get: undefined })],
    ['has no set', store({ set: undefined })],
    ['has no delete', store({ delete: undefined })],
  ])('refuses a store that %s', (_name, own) => {
    expect(() => new PointerStore(own)).toThrow(
      expect.objectContaining({ code: 'invalid-config', facts: { field: 'store' } }) as Error,
    );
  });

  it('reads and writes a Map', async () => {
    const map = new Map<string, SessionPointer>();
    const pointers = new PointerStore(map);
    expect(await pointers.read('p')).toEqual({ status: 'none' });
    await pointers.write('p', pointer);
    expect(await pointers.read('p')).toEqual({ status: 'found', pointer });
    await pointers.delete('p');
    expect(map.size).toBe(0);
  });

  it('takes null for none', async () => {
    expect(await new PointerStore(store({ get: () => null })).read('p')).toEqual({ status: 'none' });
  });

  describe('an outage is an error', () => {
    const calls = (own: object) => {
      const pointers = new PointerStore(store(own), 20);
      return [pointers.read('p'), pointers.write('p', pointer), pointers.delete('p')];
    };
    const failures = async (own: object) => {
      const settled = await Promise.allSettled(calls(own));
      return settled.map((outcome) =>
        outcome.status === 'rejected' && AcpLauncherError.isInstance(outcome.reason)
          ? outcome.reason
          : undefined,
      );
    };

    it.each<[string, object]>([
      [
        'throws',
        {
          get: () => {
            throw new Error('down');
          },
          set: () => {
            throw new Error('down');
          },
          delete: () => {
            throw new Error('down');
          },
        },
      ],
      [
        'rejects',
        {
          get: () => Promise.reject(new Error('down')),
          set: () => Promise.reject(new Error('down')),
          delete: () => Promise.reject(new Error('down')),
        },
      ],
      ['never answers', { get: never, set: never, delete: never }],
    ])('where it %s', async (_name, own) => {
      for (const error of await failures(own)) {
        expect(error).toMatchObject({ code: 'store-failed', phase: 'session', retryable: true });
        expect(error?.message).toMatch(/failed to (get|set|delete): (down|no answer within 20 ms)/);
      }
    });

    it('where set answers false', async () => {
      const [read, write, remove] = await failures({
        set: () => Promise.resolve(false),
        delete: () => false,
      });
      expect(write).toMatchObject({ code: 'store-failed' });
      // Nothing to delete is no failure.
      expect([read, remove]).toEqual([undefined, undefined]);
    });
  });

  it('ends the wait with the signal', async () => {
    const controller = new AbortController();
    const reading = new PointerStore(store({ get: never })).read('p', controller.signal);
    controller.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  it('tells of a write that was carried out after it was given up', async () => {
    let finish!: () => void;
    const slow = store({
      set: () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    });
    const onLate = vi.fn();
    await expect(new PointerStore(slow, 5).write('p', pointer, onLate)).rejects.toThrow('no answer');
    expect(onLate).not.toHaveBeenCalled();
    finish();
    await vi.waitFor(() => expect(onLate).toHaveBeenCalledOnce());
  });
});
