import { describe, expect, it, vi } from 'vitest';
import { acproxyAgent, faultyAgent } from '../../../fixtures/index.ts';
import type { Logger } from '../../../src/manager/manager-events.ts';
import { managerHarness, type EventName } from '../../helpers/manager-harness.ts';

const harness = managerHarness();
const agent = (options: object = {}) => faultyAgent([], { store: harness.store, ...options });

/** A logger of pino's shape that keeps what it is told. */
function keepingLogger() {
  const lines: { level: string; facts: object; message: string }[] = [];
  const keep = (level: string) => (facts: object, message: string) =>
    void lines.push({ level, facts, message });
  const logger: Logger = {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
  return { logger, lines };
}

describe('events', () => {
  it('come in the order that is documented, each with its project', async () => {
    const host = harness.manage(agent());
    for (const prompt of ['one', 'two']) {
      const { turn } = await host.manager.prompt(harness.request({ prompt }));
      await turn.result;
    }
    await host.manager.stop('p1');
    expect(host.events.map(({ name }) => name)).toEqual([
      'session-open',
      ...Array<EventName[]>(2).fill(['turn-start', 'session-update', 'turn-end']).flat(),
      'session-close',
      'agent-exit',
    ]);
    expect(host.events.every(({ event }) => event['projectId'] === 'p1')).toBe(true);
    expect(host.told('session-open')[0]).toMatchObject({ resume: { status: 'fresh' }, action: 'opened' });
    expect(host.told('session-update')[0]).toMatchObject({
      phase: 'turn',
      update: { sessionUpdate: 'agent_message_chunk' },
    });
  });

  it('tell of a replaced agent: the old one is gone before the new session is told', async () => {
    const host = harness.manage(agent());
    await (
      await host.manager.prompt(harness.request({ prompt: 'one' }))
    ).turn.result;
    await host.manager.getOrCreate(harness.request({ newSession: true }));
    expect(host.order().slice(-3)).toEqual(['session-close', 'agent-exit', 'session-open']);
  });

  it('can be unsubscribed from', async () => {
    const host = harness.manage(agent());
    const listener = vi.fn();
    const remove = host.manager.on('turn-end', listener);
    await (
      await host.manager.prompt(harness.request({ prompt: 'one' }))
    ).turn.result;
    remove();
    await (
      await host.manager.prompt(harness.request({ prompt: 'two' }))
    ).turn.result;
    expect(listener).toHaveBeenCalledOnce();
  });

  it('a listener that throws, or rejects, breaks nothing, and is told', async () => {
    const host = harness.manage(agent());
    const names = [
      'session-open',
      'turn-start',
      'session-update',
      'turn-end',
      'session-close',
      'agent-exit',
    ] as const;
    for (const name of names) {
      host.manager.on(name, () => {
        throw new Error(`${name} throws`);
      });
      host.manager.on(name, () => Promise.reject(new Error(`${name} rejects`)));
    }
    host.manager.on('listener-error', () => {
      throw new Error('even this one');
    });
    const { turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    expect(await turn.text()).toContain('Hello');
    await host.manager.stop('p1');
    const messages = host.told('listener-error').map(({ error }) => (error as Error).message);
    expect(messages.toSorted()).toEqual(
      names.flatMap((name) => [`${name} rejects`, `${name} throws`]).toSorted(),
    );
  });
});

describe('the logger', () => {
  it("writes the seed's lines for a resume that failed and was tried again without", async () => {
    const { logger, lines } = keepingLogger();
    const host = harness.manage(acproxyAgent({ chunkDelayMs: 0 }), { logger });
    const request = harness.request({ prompt: 'Hello', sessionId: 'non-existent-session-id' });
    const { session, turn } = await host.manager.prompt(request);
    await turn.result;
    expect(lines.slice(0, 4).map(({ level, message }) => [level, message])).toEqual([
      ['warn', '⚠️ Agent 启动失败（可能因 --resume），重试不使用 --resume'],
      ['info', '🔄 重试启动 Agent（不使用 --resume）'],
      ['info', 'ACP 会话创建成功[new_session]'],
      ['warn', 'the conversation could not be continued'],
    ]);
    expect(JSON.stringify(lines[0]?.facts)).toContain('No conversation found');
    expect(lines[2]?.facts).toEqual({
      projectId: 'p1',
      sessionId: session.sessionId,
      resume: 'fell-back',
      action: 'opened',
    });
    // Everything that is logged can be written down.
    expect(() => JSON.stringify(lines)).not.toThrow();
  });

  it('says so where the resume itself is tried again', async () => {
    const { logger, lines } = keepingLogger();
    const host = harness.manage(faultyAgent(['resume-fails', 'no-session-list'], { shape: 'query-closed' }), {
      logger,
    });
    await host.manager.getOrCreate(harness.request({ sessionId: 'gone' }));
    expect(lines.slice(0, 4).map(({ message }) => message)).toEqual([
      '⚠️ Agent 启动失败（可能因 --resume），再次使用 --resume',
      '🔄 重试启动 Agent（使用 --resume）',
      '⚠️ Agent 启动失败（可能因 --resume），重试不使用 --resume',
      '🔄 重试启动 Agent（不使用 --resume）',
    ]);
  });

  it('says why an older conversation is not gone on with', async () => {
    const { logger, lines } = keepingLogger();
    const host = harness.manage(acproxyAgent({ chunkDelayMs: 0 }), { logger });
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    await turn.result;
    await host.manager.getOrCreate({ ...harness.request(), projectPath: harness.folder.path });
    const { facts } = lines.filter(({ message }) => message.includes('会话创建成功')).at(-1) ?? {};
    expect(facts).toMatchObject({ reason: 'cwd-changed', previousSessionId: session.sessionId });
  });

  it('warns of crashes, and of nothing that is in order', async () => {
    const { logger, lines } = keepingLogger();
    const host = harness.manage(agent(), { logger });
    await (
      await host.manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
    await host.manager.stop('p1');
    expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
    const { turn } = await host.manager.prompt(harness.request({ prompt: '/crash' }));
    await turn.result.catch(() => undefined);
    expect(lines).toContainEqual({
      level: 'warn',
      message: 'the agent ended unexpectedly',
      facts: expect.objectContaining({ projectId: 'p1', exitSignal: 'SIGKILL' }) as object,
    });
  });

  it('breaks nothing where it throws', async () => {
    const logger = new Proxy(
      {},
      {
        get: () => () => {
          throw new Error('disk full');
        },
      },
    ) as Logger;
    const host = harness.manage(agent(), { logger });
    expect(await (await host.manager.prompt(harness.request({ prompt: 'Hello' }))).turn.text()).toContain(
      'Hello',
    );
  });

  it('gets no secret', async () => {
    const { logger, lines } = keepingLogger();
    const host = harness.manage(faultyAgent('leaks-secrets'), { logger });
    const modelProvider = {
      id: 'p',
      name: 'P',
      baseUrl: 'https://m.test',
      apiKey: 'sk-very-secret-key-1',
      defaultModel: 'm',
    };
    await host.manager.getOrCreate(harness.request({ modelProvider })).catch(() => undefined);
    await host.manager
      .prompt(harness.request({ prompt: 'Hello', modelProvider }))
      .then(({ turn }) => turn.result)
      .catch(() => undefined);
    expect(JSON.stringify([lines, host.manager.snapshot()])).not.toContain('very-secret');
  });
});

describe('snapshot', () => {
  it('tells the state of each project', async () => {
    const host = harness.manage(
      faultyAgent(['slow-start', 'slow-exit'], { store: harness.store, delayMs: 300 }),
    );
    expect(host.manager.snapshot()).toEqual([]);
    const opening = host.manager.getOrCreate(harness.request());
    await vi.waitFor(() =>
      expect(host.manager.snapshot()).toMatchObject([{ state: 'starting', idleMs: undefined }]),
    );
    const { session } = await opening;
    const { pid } = session.connection;
    const { sessionId } = session;
    const common = { projectId: 'p1', pid, sessionId, resume: 'fresh', lastErrorCode: undefined };
    expect(host.manager.snapshot()).toEqual([
      { ...common, state: 'idle', turns: 0, idleMs: expect.any(Number) as number },
    ]);
    const { turn } = await host.manager.prompt(harness.request({ prompt: '/slow 60000' }));
    expect(host.manager.snapshot()).toEqual([{ ...common, state: 'running', turns: 1, idleMs: 0 }]);
    await turn.cancel();
    const failing = await host.manager.prompt(harness.request({ prompt: '/error -32603 no' }));
    await failing.turn.result.catch(() => undefined);
    const stopping = host.manager.stop('p1');
    await vi.waitFor(() => expect(host.manager.snapshot()).toMatchObject([{ state: 'stopping' }]));
    await stopping;
    expect(host.manager.snapshot()).toEqual([
      {
        projectId: 'p1',
        state: 'stopped',
        pid: undefined,
        sessionId: undefined,
        resume: undefined,
        idleMs: undefined,
        turns: 2,
        lastErrorCode: 'request-failed',
      },
    ]);
  });
});
