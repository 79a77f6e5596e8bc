import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../../../src/internal/deferred.ts';
import { ProjectPointer } from '../../../src/session/project-pointer.ts';
import { PointerStore, type SessionPointer, type SessionStore } from '../../../src/session/session-store.ts';

const now = { sessionId: 's', cwd: '/p', agentId: 'agent' };
const { signal } = new AbortController();
const open = (store: SessionStore, timeoutMs = 50) =>
  new ProjectPointer(new PointerStore(store, timeoutMs), 'p');

describe('a project pointer', () => {
  it('follows what was read', async () => {
    const store = new Map<string, SessionPointer>();
    const first = open(store);
    await first.write(now, [], first.generation);
    const second = open(store);
    await second.read(signal);
    await second.write({ ...now, sessionId: 't' }, ['lost'], second.generation);
    expect(store.get('p')).toMatchObject({ sessionId: 't', previousSessionIds: ['lost', 's'] });
  });

  it('reads what is being written', async () => {
    const gate = deferred<void>();
    const map = new Map<string, SessionPointer>();
    const pointer = open({
      get: (key) => map.get(key),
      set: async (key, value) => {
        await gate.promise;
        map.set(key, value);
      },
      delete: (key) => map.delete(key),
    });
    const writing = pointer.write(now, [], pointer.generation);
    const reading = pointer.read(signal);
    gate.resolve();
    await writing;
    expect(await reading).toMatchObject({ status: 'found', pointer: { sessionId: 's' } });
  });

  it('serves what the store could not take, until it can', async () => {
    const map = new Map<string, SessionPointer>();
    const set = vi.fn((key: string, value: SessionPointer): unknown => map.set(key, value));
    const pointer = open({ get: (key) => map.get(key), set, delete: (key) => map.delete(key) });
    set.mockReturnValueOnce(false);
    await expect(pointer.write(now, [], pointer.generation)).rejects.toMatchObject({ code: 'store-failed' });
    expect(await pointer.read(signal)).toMatchObject({ status: 'found', pointer: { sessionId: 's' } });
    await pointer.write(now, [], pointer.generation);
    expect(map.get('p')?.sessionId).toBe('s');
  });

  it('is not spoilt by an answer that is older than what was written meanwhile', async () => {
    const gate = deferred<void>();
    const map = new Map<string, SessionPointer>();
    const get = vi.fn(async (key: string) => {
      const answer = map.get(key);
      await gate.promise;
      return answer;
    });
    const pointer = open({ get, set: (key, value) => map.set(key, value), delete: (key) => map.delete(key) });
    const reading = pointer.read(signal);
    await vi.waitFor(() => expect(get).toHaveBeenCalled());
    const writing = pointer.write(now, [], pointer.generation);
    gate.resolve();
    expect(await reading).toMatchObject({ status: 'found', pointer: { sessionId: 's' } });
    await writing;
    expect(map.get('p')?.sessionId).toBe('s');
  });

  it('fails to read where the store fails, and works again later', async () => {
    const get = vi.fn((): unknown => undefined);
    const pointer = open({ get, set: () => undefined, delete: () => undefined });
    get.mockRejectedValueOnce(new Error('down'));
    await expect(pointer.read(signal)).rejects.toMatchObject({ code: 'store-failed' });
    expect(await pointer.read(signal)).toEqual({ status: 'none' });
  });
});

describe('B68: what was forgotten stays forgotten', () => {
  it('whatever was in flight', async () => {
    const map = new Map<string, SessionPointer>();
    const pointer = open(map);
    const { generation } = pointer;
    const writing = pointer.write(now, [], generation);
    const forgetting = pointer.forget();
    await Promise.all([writing, forgetting]);
    await pointer.write(now, [], generation);
    expect(map.size).toBe(0);
    await pointer.write(now, [], pointer.generation);
    expect(map.get('p')?.previousSessionIds).toEqual([]);
  });

  it('also a write that the store carries out long after it was given up', async () => {
    const gate = deferred<void>();
    const map = new Map<string, SessionPointer>();
    const set = vi.fn(async (key: string, value: SessionPointer) => {
      await gate.promise;
      map.set(key, value);
    });
    const remove = vi.fn((key: string) => map.delete(key));
    const pointer = open({ get: (key) => map.get(key), set, delete: remove }, 5);
    await expect(pointer.write(now, [], pointer.generation)).rejects.toThrow('no answer');
    await pointer.forget();
    gate.resolve();
    await vi.waitFor(() => expect(remove).toHaveBeenCalledTimes(2));
    await pointer.settled();
    expect(map.size).toBe(0);
  });

  it('by this process also where the store fails, and is dropped there with the next call', async () => {
    const map = new Map<string, SessionPointer>();
    const remove = vi.fn((key: string): unknown => map.delete(key));
    const pointer = open({
      get: (key) => map.get(key),
      set: (key, value) => map.set(key, value),
      delete: remove,
    });
    await pointer.write(now, [], pointer.generation);
    remove.mockRejectedValueOnce(new Error('down'));
    await expect(pointer.forget()).rejects.toMatchObject({ code: 'store-failed' });
    expect([await pointer.read(signal), pointer.isSaved]).toEqual([{ status: 'none' }, false]);
    await pointer.forget();
    expect([map.size, pointer.isSaved]).toEqual([0, true]);
  });

  it('also in the middle of a read', async () => {
    const gate = deferred<void>();
    const map = new Map<string, SessionPointer>();
    const get = vi.fn(async (key: string) => {
      const answer = map.get(key);
      await gate.promise;
      return answer;
    });
    const pointer = open({ get, set: (key, value) => map.set(key, value), delete: (key) => map.delete(key) });
    await pointer.write(now, [], pointer.generation);
    const reading = pointer.read(signal);
    await vi.waitFor(() => expect(get).toHaveBeenCalled());
    const forgetting = pointer.forget();
    gate.resolve();
    expect(await reading).toEqual({ status: 'none' });
    await forgetting;
    expect(map.size).toBe(0);
  });

  it('and a deletion that comes late takes nothing that was written since', async () => {
    const gate = deferred<void>();
    const map = new Map<string, SessionPointer>();
    const set = vi.fn((key: string, value: SessionPointer) => void map.set(key, value));
    const remove = async (key: string) => {
      await gate.promise;
      map.delete(key);
    };
    const pointer = open({ get: (key) => map.get(key), set, delete: remove }, 5);
    await expect(pointer.forget()).rejects.toMatchObject({ code: 'store-failed' });
    await pointer.write(now, [], pointer.generation);
    gate.resolve();
    await vi.waitFor(() => expect(set).toHaveBeenCalledTimes(2));
    await pointer.settled();
    expect(map.get('p')?.sessionId).toBe('s');
  });
});
