import { describe, expect, it, vi } from 'vitest';
import { faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import type { SessionPointer } from '../../../src/session/session-store.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { received, textOf } from '../../helpers/received.ts';
import { isGone, waitUntil } from '../../helpers/wait-until.ts';

const harness = managerHarness();
const agent = (fault: FaultName | readonly FaultName[] = [], options: object = {}) =>
  faultyAgent(fault, { store: harness.store, record: harness.record, ...options });
const closed = { code: 'closed' };

describe('stop', () => {
  it('ends the agent, keeps the pointer, and starts nothing', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent(), { store });
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    await turn.result;
    await host.manager.stop('p1');
    expect(isGone(session.connection.pid)).toBe(true);
    expect(store.get('p1')?.sessionId).toBe(session.sessionId);
    expect(host.manager.snapshot()).toMatchObject([{ state: 'stopped', turns: 1, pid: undefined }]);
    await Promise.all([host.manager.stop('p1'), host.manager.stop('p1'), host.manager.stop('unknown')]);
    expect(host.spawned).toBe(1);
  });

  it('ends a running turn, the prompts that wait, and nothing is told after it', async () => {
    const host = harness.manage(agent());
    const running = await host.manager.prompt(harness.request({ prompt: '/slow 60000' }));
    const waiting = host.manager.prompt(harness.request({ prompt: 'two' }));
    waiting.catch(() => undefined);
    await host.manager.stop('p1');
    const told = host.events.length;
    await expect(running.turn.result).rejects.toMatchObject(closed);
    await expect(waiting).rejects.toMatchObject(closed);
    expect(received(harness.record, 'session/prompt').map(textOf)).toEqual(['/slow 60000']);
    expect(host.order().slice(-3)).toEqual(['turn-end', 'session-close', 'agent-exit']);
    await host.manager.stop('p1');
    expect(host.events).toHaveLength(told);
  });

  it.each<[string, FaultName, object]>([
    ['the agent starts', 'never-answers-initialize', {}],
    ['the session opens', 'hangs-at', { at: 'session/new' }],
  ])('while %s ends the launch: callers hear "closed", nothing is left', async (_when, fault, options) => {
    const host = harness.manage(agent(fault, { ...options, pidFile: harness.folder.file('pid') }));
    const opening = host.manager.getOrCreate(harness.request());
    opening.catch(() => undefined);
    await waitUntil(
      'the agent to read',
      () => received(harness.record).length > (fault === 'hangs-at' ? 1 : 0),
    );
    await host.manager.stop('p1');
    await expect(opening).rejects.toMatchObject({ ...closed, phase: 'shutdown' });
    await expect(opening).rejects.toThrow('stopped');
    expect(host.manager.snapshot()).toMatchObject([{ state: 'stopped', lastErrorCode: 'closed' }]);
    expect(host.spawned).toBe(1);
  });

  it('reaches requests that wait behind the launch as well, and starts none of them', async () => {
    const host = harness.manage(agent('hangs-at'));
    const requests = ['a', 'b', 'c'].map((value) =>
      host.manager.getOrCreate(
        harness.request({ agentServer: { ...agent('hangs-at'), env: { VALUE: value } } }),
      ),
    );
    for (const request of requests) request.catch(() => undefined);
    await waitUntil('the first to hang', () => received(harness.record, 'session/new').length === 1);
    await host.manager.stop('p1');
    for (const request of requests) await expect(request).rejects.toMatchObject(closed);
    expect(host.spawned).toBe(1);
  });

  it('reaches a project that waits for its place to start', async () => {
    const host = harness.manage(agent('hangs-at'), { maxStartingAgents: 1 });
    const first = host.manager.getOrCreate(harness.request({}, 'p1'));
    first.catch(() => undefined);
    await waitUntil('the first to hang', () => received(harness.record, 'session/new').length === 1);
    const second = host.manager.getOrCreate(harness.request({}, 'p2'));
    second.catch(() => undefined);
    await waitUntil('the second to wait', () => host.manager.snapshot()[1]?.state === 'starting');
    await host.manager.stop('p2');
    await expect(second).rejects.toMatchObject(closed);
    await host.manager.stop('p1');
    expect(host.spawned).toBe(1);
  });

  it('is what closing a session of the manager does, and only for the one that is live', async () => {
    const host = harness.manage(agent());
    const first = await host.manager.getOrCreate(harness.request());
    const second = await host.manager.getOrCreate(harness.request({ newSession: true }));
    await first.session.close();
    expect(host.manager.get('p1')).toBe(second.session);
    await second.session.close();
    expect(host.manager.get('p1')).toBeUndefined();
    expect(isGone(second.session.connection.pid)).toBe(true);
  });

  it.each(['stop', 'forget', 'shutdown', 'close'] as const)(
    'says so where a process survived every signal, when all else is done (%s)',
    async (end) => {
      const host = harness.manage(agent());
      const others = await host.manager.getOrCreate(harness.request({}, 'p2'));
      const { session, turn } = await host.manager.prompt(harness.request({ prompt: '记住数字 42' }));
      await turn.result;
      const { connection } = session;
      const close = connection.close.bind(connection);
      // What no signal ends can't be made here.
      vi.spyOn(connection, 'close').mockImplementation(async () => ({
        ...(await close()),
        survivors: [4711],
      }));
      const ended = end === 'close' ? session.close() : host.manager[end]('p1');
      await expect(ended).rejects.toMatchObject({
        code: 'shutdown-incomplete',
        facts: { survivors: [4711] },
      });
      expect(host.manager.get('p1')).toBeUndefined();
      if (end === 'shutdown') {
        expect(isGone(others.session.connection.pid)).toBe(true);
        // It says the same to everybody, also to the harness.
        vi.spyOn(host.manager, 'shutdown').mockResolvedValue();
        return;
      }
      // Another agent may take its place: what is left over does not take the conversation with it.
      const next = await host.manager.prompt(harness.request({ prompt: '我之前说的数字是多少？' }));
      const remembered = expect.stringContaining('42') as string;
      expect(await next.turn.text()).toEqual(
        end === 'forget' ? expect.not.stringContaining('42') : remembered,
      );
    },
  );

  it('leaves a request that comes during it to start anew', async () => {
    const host = harness.manage(agent('slow-exit', { delayMs: 300 }));
    await (
      await host.manager.prompt(harness.request({ prompt: '记住数字 42' }))
    ).turn.result;
    const stopping = host.manager.stop('p1');
    const asked = host.manager.prompt(harness.request({ prompt: '我之前说的数字是多少？' }));
    await stopping;
    expect(await (await asked).turn.text()).toContain('42');
  });
});

describe('forget', () => {
  it('of an unknown project drops what is stored, and leaves no trace', async () => {
    const store = new Map<string, SessionPointer>();
    const first = harness.manage(agent(), { store });
    await (
      await first.manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
    await first.manager.shutdown();
    const host = harness.manage(agent(), { store });
    await host.manager.forget('p1');
    expect([store.size, host.manager.snapshot(), host.spawned]).toEqual([0, [], 0]);
  });

  it('leaves a request that comes during it to begin anew, in the one project of that name', async () => {
    const host = harness.manage(agent('slow-exit', { delayMs: 300 }));
    await (
      await host.manager.prompt(harness.request({ prompt: '记住数字 42' }))
    ).turn.result;
    const forgetting = host.manager.forget('p1');
    const asked = host.manager.prompt(harness.request({ prompt: '我之前说的数字是多少？' }));
    await forgetting;
    const { session, turn } = await asked;
    expect(await turn.text()).not.toContain('42');
    expect(host.manager.get('p1')).toBe(session);
    expect(host.manager.snapshot()).toHaveLength(1);
  });

  it('lets the id be used elsewhere', async () => {
    const host = harness.manage(agent());
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    await turn.result;
    await host.manager.forget('p1');
    const request = { ...harness.request({ sessionId: session.sessionId }), projectId: 'p2' };
    expect((await host.manager.getOrCreate(request)).session.sessionId).toBe(session.sessionId);
  });
});

describe('shutdown', () => {
  it('stops all, starts nothing, keeps the pointers, and refuses what is asked later', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent(), { store });
    const ids = ['a', 'b', 'c'];
    for (const id of ids)
      await (
        await host.manager.prompt(harness.request({ prompt: 'Hello' }, id))
      ).turn.result;
    const running = await host.manager.prompt(harness.request({ prompt: '/slow 60000' }, 'a'));
    const opening = host.manager.getOrCreate(harness.request({}, 'd'));
    opening.catch(() => undefined);
    await Promise.all([host.manager.shutdown(), host.manager.shutdown()]);
    await expect(running.turn.result).rejects.toMatchObject(closed);
    await expect(opening).rejects.toMatchObject(closed);
    expect(host.agents.map(({ isGone }) => isGone)).toEqual([true, true, true]);
    expect([...store.keys()]).toEqual(ids);
    await expect(host.manager.getOrCreate(harness.request())).rejects.toMatchObject(closed);
    await expect(host.manager.prompt(harness.request({ prompt: 'Hello' }))).rejects.toMatchObject(closed);
    await host.manager.cancel('a');
    await host.manager.stop('a');
    expect(host.manager.list()).toEqual([]);
  });

  it('of a manager that did nothing resolves', async () => {
    await using host = harness.manage(agent()).manager;
    expect(host.snapshot()).toEqual([]);
  });

  it('B07, B25: nothing of a launch that is given up comes back, however late it answers', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent('delays-at', { at: 'session/new', delayMs: 300 }), { store });
    const opening = host.manager.getOrCreate(harness.request());
    opening.catch(() => undefined);
    await waitUntil('session/new', () => received(harness.record, 'session/new').length === 1);
    await host.manager.stop('p1');
    await expect(opening).rejects.toMatchObject(closed);
    const { session } = await host.manager.getOrCreate(harness.request());
    expect(host.told('session-open')).toHaveLength(1);
    expect(host.manager.get('p1')).toBe(session);
  });
});

describe('B37: an agent that ignores a cancel', () => {
  it.each([undefined, 20])(
    '(%s): the turn is settled, the agent replaced, the conversation kept',
    async (delayMs) => {
      const host = harness.manage(agent('ignores-cancel', { after: 1, times: 1, delayMs }), {
        launch: { cancelTimeoutMs: 300 },
      });
      await (
        await host.manager.prompt(harness.request({ prompt: '记住数字 42' }))
      ).turn.result;
      const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
      await host.manager.cancel('p1');
      expect(await turn.result).toEqual({ stopReason: 'cancelled' });
      expect(turn.summary.cancelled).toMatchObject({ acknowledged: false });
      expect(await host.until('agent-exit')).toMatchObject({ expected: true, pid: session.connection.pid });
      const next = await host.manager.prompt(harness.request({ prompt: '我之前说的数字是多少？' }));
      expect(await next.turn.text()).toContain('42');
      expect(next.session.resume).toMatchObject({ status: 'resumed', sessionId: session.sessionId });
    },
  );

  it('takes no prompt with it that was sent in the meantime', async () => {
    const host = harness.manage(agent('ignores-cancel', { after: 1, times: 1 }), {
      launch: { cancelTimeoutMs: 400 },
    });
    await (
      await host.manager.prompt(harness.request({ prompt: '记住数字 42' }))
    ).turn.result;
    await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    const cancelling = host.manager.cancel('p1');
    const next = host.manager.prompt(harness.request({ prompt: '我之前说的数字是多少？' }));
    await cancelling;
    expect(await (await next).turn.text()).toContain('42');
  });

  it('B38: one that answers it with an error goes on', async () => {
    const host = harness.manage(agent('cancel-answers-error', { times: 1 }));
    const first = await host.manager.prompt(harness.request({ prompt: '/slow 60000' }));
    await host.manager.cancel('p1');
    expect(await first.turn.result).toEqual({ stopReason: 'cancelled' });
    const second = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    await second.turn.result;
    expect([second.action, second.session]).toEqual(['reused', first.session]);
  });

  it('a cancel without a turn does nothing', async () => {
    const host = harness.manage(agent());
    await host.manager.cancel('unknown');
    await (
      await host.manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
    await host.manager.cancel('p1');
    expect(received(harness.record, 'session/cancel')).toEqual([]);
  });
});
