import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import Keyv from 'keyv';
import { describe, expect, it, test, vi } from 'vitest';
import { acproxyAgent, faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import { fileSessionStore } from '../../../src/session/file-session-store.ts';
import type { SessionPointer, SessionStore } from '../../../src/session/session-store.ts';
import { SessionManager } from '../../../src/session-manager.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const harness = managerHarness();
const agent = (fault: FaultName | readonly FaultName[] = [], options: object = {}) =>
  faultyAgent(fault, { store: harness.store, record: harness.record, ...options });

describe('the pointer', () => {
  it('is not written by a session that was never prompted', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent(), { store });
    const { session } = await host.manager.getOrCreate(harness.request());
    await session.prompt([]).result.catch(() => undefined);
    await host.manager.stop('p1');
    expect(store.size).toBe(0);
    expect(host.order()).not.toContain('turn-end');
  });

  it('is not written by a prompt that was never sent', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent(), { store });
    const signal = AbortSignal.abort();
    const { session } = await host.manager.getOrCreate(harness.request());
    expect(await session.prompt('Hello', { signal }).result).toEqual({ stopReason: 'cancelled' });
    await host.manager.stop('p1');
    expect(store.size).toBe(0);
  });

  it('is written at the first update of the first turn', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent(), { store });
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: '/slow 60000' }));
    const pointer = await waitUntil('the pointer', () => store.get('p1'));
    expect(turn.state).toBe('running');
    expect(pointer).toEqual({
      v: 1,
      sessionId: session.sessionId,
      previousSessionIds: [],
      cwd: harness.folder.file('p1'),
      agentId: 'faulty-agent',
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    });
  });

  test.each<[string, string, FaultName[], (pid: number) => void]>([
    ['ends well without an update', '/stop end_turn', [], () => undefined],
    ['fails', '/error -32603 out of order', [], () => undefined],
    ['is cut off by a crash', '/hang', [], (pid) => void process.kill(pid, 'SIGKILL')],
  ])('is written when the first turn %s', async (_how, prompt, faults, afterwards) => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent(faults), { store });
    const { session, turn } = await host.manager.prompt(harness.request({ prompt }));
    expect(store.size).toBe(0);
    afterwards(session.connection.pid);
    await turn.result.catch(() => undefined);
    expect((await waitUntil('the pointer', () => store.get('p1'))).sessionId).toBe(session.sessionId);
  });

  it('is written when the first turn is cancelled, and when it is stopped', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent(), { store, launch: { cancelTimeoutMs: 200 } });
    const cancelled = await host.manager.prompt(harness.request({ prompt: '/hang' }));
    await host.manager.cancel('p1');
    expect(await cancelled.turn.result).toEqual({ stopReason: 'cancelled' });
    await waitUntil('the pointer', () => store.get('p1'));
    const stopped = await host.manager.prompt(harness.request({ prompt: '/hang' }, 'p2'));
    stopped.turn.result.catch(() => undefined);
    await host.manager.stop('p2');
    // A stop has written what there is to write.
    expect(store.get('p2')?.sessionId).toBe(stopped.session.sessionId);
  });

  it('an agent that was killed in mid-turn resumes with what it had heard', async () => {
    const host = harness.manage(agent('dies-mid-turn', { after: 1, times: 1 }));
    await (
      await host.manager.prompt(harness.request({ prompt: '记住数字 42' }))
    ).turn.result;
    const { turn } = await host.manager.prompt(harness.request({ prompt: 'remember 43' }));
    await expect(turn.result).rejects.toMatchObject({ code: 'agent-exited' });
    expect(turn.textSoFar).toBe('part 1 part 2 ');
    const next = await host.manager.prompt(harness.request({ prompt: '我之前说的数字是多少？' }));
    expect(await next.turn.text()).toContain('43');
    expect(next.session.resume.status).toBe('resumed');
  });
});

describe('forget', () => {
  it('B68: drops it in memory and in the store before it resolves', async () => {
    const store = fileSessionStore(harness.folder.file('pointers'));
    const host = harness.manage(agent(), { store });
    await (
      await host.manager.prompt(harness.request({ prompt: '记住数字 42' }))
    ).turn.result;
    await host.manager.forget('p1');
    expect(await store.get('p1')).toBeUndefined();
    const next = harness.manage(agent(), { store });
    for (const { manager } of [host, next]) {
      const { session, turn } = await manager.prompt(harness.request({ prompt: '我之前说的数字是多少？' }));
      expect(await turn.text()).not.toContain('42');
      expect(session.resume).toEqual({ status: 'fresh' });
      await manager.forget('p1');
    }
  });

  it('B68: can not be undone by a turn, a launch or a write that is in flight', async () => {
    const store = new Map<string, SessionPointer>();
    const slow: SessionStore = {
      get: (key) => store.get(key),
      set: async (key, value) => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        store.set(key, value);
      },
      delete: (key) => store.delete(key),
    };
    const host = harness.manage(agent('delays-at', { at: 'session/new', delayMs: 200, after: 1 }), {
      store: slow,
    });
    const { turn } = await host.manager.prompt(harness.request({ prompt: '/slow 60000' }));
    const launch = host.manager.getOrCreate(harness.request({ newSession: true, evenDuringTurn: true }));
    launch.catch(() => undefined);
    await host.manager.forget('p1');
    await expect(turn.result).rejects.toMatchObject({ code: 'closed' });
    await expect(launch).rejects.toMatchObject({ code: 'closed' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(store.size).toBe(0);
    expect(host.manager.snapshot()).toEqual([]);
  });

  it('fails where the store does, and works when it does again', async () => {
    const map = new Map<string, SessionPointer>();
    const remove = vi.fn((key: string): unknown => map.delete(key));
    const host = harness.manage(agent(), {
      store: { get: (key) => map.get(key), set: (key, value) => map.set(key, value), delete: remove },
    });
    await (
      await host.manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
    remove.mockRejectedValueOnce(new Error('down'));
    await expect(host.manager.forget('p1')).rejects.toMatchObject({ code: 'store-failed' });
    await host.manager.forget('p1');
    expect(map.size).toBe(0);
  });
});

describe('an outage of the store', () => {
  const outage = (own: Partial<SessionStore>): SessionStore => ({
    get: () => undefined,
    set: () => undefined,
    delete: () => undefined,
    ...own,
  });

  it.each<[string, Partial<SessionStore>]>([
    [
      'throws',
      {
        get: () => {
          throw new Error('down');
        },
      },
    ],
    ['rejects', { get: () => Promise.reject(new Error('down')) }],
    ['never answers', { get: () => new Promise(() => undefined) }],
  ])('that %s is an error, and starts nothing', async (_what, own) => {
    const host = harness.manage(agent(), { store: outage(own) });
    await expect(host.manager.prompt(harness.request({ prompt: 'Hello' }))).rejects.toMatchObject({
      code: 'store-failed',
      retryable: true,
    });
    expect(host.spawned).toBe(0);
    expect(host.manager.snapshot()).toMatchObject([{ lastErrorCode: 'store-failed', state: 'stopped' }]);
  });

  it('holds up no prompt of a live session', async () => {
    const get = vi.fn((): unknown => undefined);
    const host = harness.manage(agent(), { store: outage({ get }) });
    await (
      await host.manager.prompt(harness.request({ prompt: 'one' }))
    ).turn.result;
    get.mockImplementation(() => new Promise(() => undefined));
    const { action, turn } = await host.manager.prompt(harness.request({ prompt: 'two' }));
    expect(await turn.text()).toContain('two');
    expect([action, get.mock.calls.length]).toEqual(['reused', 1]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['answers false', () => Promise.resolve(false)],
  ])('at a write that %s is told, loses nothing, and the write is tried again', async (_what, fail) => {
    const map = new Map<string, SessionPointer>();
    const set = vi.fn((key: string, value: SessionPointer): unknown => map.set(key, value));
    const store = { get: (key: string) => map.get(key), set, delete: (key: string) => map.delete(key) };
    const host = harness.manage(agent(), { store });
    set.mockImplementation(fail);
    await (
      await host.manager.prompt(harness.request({ prompt: '记住数字 42' }))
    ).turn.result;
    expect(await host.until('store-error')).toMatchObject({ error: { code: 'store-failed' } });
    // A crash while the store is down: this process still knows where to go on.
    process.kill(host.manager.get('p1')!.connection.pid, 'SIGKILL');
    await host.until('session-close');
    const { turn } = await host.manager.prompt(harness.request({ prompt: '我之前说的数字是多少？' }));
    expect(await turn.text()).toContain('42');
    expect(map.size).toBe(0);
    set.mockImplementation((key, value) => map.set(key, value));
    await (
      await host.manager.prompt(harness.request({ prompt: 'one more' }))
    ).turn.result;
    await waitUntil('the pointer', () => map.get('p1'));
  });

  it('at a write is told at the start and the end of a turn, not at each update', async () => {
    const set = vi.fn((): unknown => Promise.reject(new Error('down')));
    const host = harness.manage(acproxyAgent({ chunkSize: 1, chunkDelayMs: 5 }), { store: outage({ set }) });
    for (const turns of [1, 2]) {
      const { turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
      await turn.result;
      expect(turn.summary.updates).toBeGreaterThan(10);
      await host.until('store-error', turns);
      expect(set.mock.calls.length).toBeLessThanOrEqual(2 * turns);
    }
  });

  it('at a write that never answers delays a stop by the deadline of the store, and loses nothing', async () => {
    const map = new Map<string, SessionPointer>();
    const set = vi.fn((_key: string, _value: SessionPointer): unknown => new Promise(() => undefined));
    const store = { get: (key: string) => map.get(key), set, delete: (key: string) => map.delete(key) };
    const host = harness.manage(agent(), { store });
    await (
      await host.manager.prompt(harness.request({ prompt: '记住数字 42' }))
    ).turn.result;
    await host.manager.stop('p1');
    const failed = { error: { code: 'store-failed' } };
    expect(host.told('store-error')).toMatchObject([failed, failed]);
    set.mockImplementation((key, value) => map.set(key, value));
    const { turn } = await host.manager.prompt(harness.request({ prompt: '我之前说的数字是多少？' }));
    expect(await turn.text()).toContain('42');
    await host.manager.shutdown();
    expect(map.size).toBe(1);
  });

  it.each(['stop', 'shutdown'] as const)('that is over by the %s loses nothing either', async (end) => {
    const map = new Map<string, SessionPointer>();
    const set = vi.fn((_key: string, _value: SessionPointer): unknown => false);
    const store = { get: (key: string) => map.get(key), set, delete: (key: string) => map.delete(key) };
    const host = harness.manage(agent(), { store });
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: '记住数字 42' }));
    await turn.result;
    await host.until('store-error');
    set.mockImplementation((key, value) => map.set(key, value));
    await host.manager[end]('p1');
    expect(map.get('p1')?.sessionId).toBe(session.sessionId);
    const next = harness.manage(agent(), { store });
    const { turn: recalled } = await next.manager.prompt(
      harness.request({ prompt: '我之前说的数字是多少？' }),
    );
    expect(await recalled.text()).toContain('42');
  });

  it('at a deletion is told, and the conversation is not gone on with here', async () => {
    const map = new Map<string, SessionPointer>();
    const remove = vi.fn((key: string): unknown => map.delete(key));
    const store = { get: (key: string) => map.get(key), set: map.set.bind(map), delete: remove };
    const host = harness.manage(agent(), { store });
    await (
      await host.manager.prompt(harness.request({ prompt: '记住数字 42' }))
    ).turn.result;
    remove.mockRejectedValueOnce(new Error('down'));
    await expect(host.manager.forget('p1')).rejects.toMatchObject({ code: 'store-failed' });
    const { session, turn } = await host.manager.prompt(
      harness.request({ prompt: '我之前说的数字是多少？' }),
    );
    expect([session.resume.status, await turn.text()]).toEqual(['fresh', expect.not.stringContaining('42')]);
    expect(map.get('p1')?.previousSessionIds).toEqual([]);
  });

  it('that a store would hide is refused at once: a Keyv as it comes', () => {
    expect(() => new SessionManager({ store: new Keyv() })).toThrow(
      expect.objectContaining({ code: 'invalid-config', facts: { field: 'store' } }) as Error,
    );
  });

  it('a Keyv that throws fits', async () => {
    const store = new Keyv({ throwOnErrors: true });
    const host = harness.manage(agent(), { store });
    await (
      await host.manager.prompt(harness.request({ prompt: '记住数字 42' }))
    ).turn.result;
    await host.manager.stop('p1');
    const next = harness.manage(agent(), { store });
    const { turn } = await next.manager.prompt(harness.request({ prompt: '我之前说的数字是多少？' }));
    expect(await turn.text()).toContain('42');
  });
});

describe('a record that can not be read', () => {
  it.each<[string, (text: string) => string]>([
    ['corrupt', (text) => text.slice(0, 30)],
    ['of a newer version', (text) => text.replace('"v":1', '"v":2')],
    ['without a session', (text) => text.replace('"sessionId"', '"session"')],
  ])('since it is %s is reported, not fatal, and replaced after the first turn', async (_what, spoil) => {
    const folder = harness.folder.file('pointers');
    const store = fileSessionStore(folder);
    const first = harness.manage(acproxyAgent({ store: harness.store, chunkDelayMs: 0 }), { store });
    await (
      await first.manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
    await first.manager.stop('p1');
    const file = `${folder}/${readdirSync(folder)[0]}`;
    writeFileSync(file, spoil(readFileSync(file, 'utf8')));
    const host = harness.manage(acproxyAgent({ store: harness.store, chunkDelayMs: 0 }), { store });
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    await turn.result;
    expect(session.resume).toEqual({ status: 'fresh', reason: 'pointer-unreadable' });
    expect(host.order().slice(0, 2)).toEqual(['pointer-unreadable', 'session-open']);
    await waitUntil('a record that can be read', async () => {
      const record = (await store.get('p1')) as SessionPointer | undefined;
      return record?.sessionId === session.sessionId;
    });
  });
});
