import { describe, expect, it } from 'vitest';
import { acproxyAgent, faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { received, textOf } from '../../helpers/received.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const harness = managerHarness();
const agent = (fault: FaultName | readonly FaultName[] = [], options: object = {}) =>
  faultyAgent(fault, { store: harness.store, record: harness.record, ...options });

describe('B24: concurrent calls for one project', () => {
  it('share one launch', async () => {
    const host = harness.manage(agent());
    const grants = await Promise.all(
      Array.from({ length: 20 }, () => host.manager.getOrCreate(harness.request())),
    );
    expect(new Set(grants.map(({ session }) => session)).size).toBe(1);
    expect(host.spawned).toBe(1);
    expect(host.told('session-open')).toHaveLength(1);
    expect((await host.manager.getOrCreate(harness.request())).action).toBe('reused');
  });

  it('share one resume', async () => {
    const host = harness.manage(agent());
    await (
      await host.manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
    await host.manager.stop('p1');
    await Promise.all(Array.from({ length: 5 }, () => host.manager.getOrCreate(harness.request())));
    expect(host.spawned).toBe(2);
  });

  it('get the same error, and the next call starts clean', async () => {
    const host = harness.manage(agent('dies-in-session-new', { times: 1 }));
    const errors = await Promise.all(
      Array.from({ length: 5 }, () =>
        host.manager.getOrCreate(harness.request()).catch((error: unknown) => error),
      ),
    );
    expect(errors[0]).toMatchObject({ code: 'agent-exited' });
    expect(new Set(errors).size).toBe(1);
    const { session } = await host.manager.getOrCreate(harness.request());
    expect(session.resume).toEqual({ status: 'fresh' });
    expect(host.spawned).toBe(2);
  });

  it('with prompts: all are answered, in their order, by one agent', async () => {
    const host = harness.manage(acproxyAgent({ record: harness.record, chunkDelayMs: 1 }));
    const texts = Array.from({ length: 12 }, (_, index) => `number ${index}`);
    const answers = await Promise.all(
      texts.map(async (prompt) => {
        const { turn } = await host.manager.prompt(harness.request({ prompt }));
        return turn.text();
      }),
    );
    answers.forEach((answer, index) => expect(answer).toContain(`received: ${texts[index]}`));
    expect(received(harness.record, 'session/prompt').map(textOf)).toEqual(texts);
    expect(host.spawned).toBe(1);
  });

  it('are bounded where they prompt', async () => {
    const host = harness.manage(agent(), { launch: { maxQueuedPrompts: 2 } });
    const running = await host.manager.prompt(harness.request({ prompt: '/slow 60000' }));
    const waiting = ['one', 'two'].map((prompt) => host.manager.prompt(harness.request({ prompt })));
    await expect(host.manager.prompt(harness.request({ prompt: 'three' }))).rejects.toMatchObject({
      code: 'queue-full',
    });
    await host.manager.cancel('p1');
    expect(await running.turn.result).toEqual({ stopReason: 'cancelled' });
    for (const prompt of waiting) await (await prompt).turn.result;
    expect(received(harness.record, 'session/prompt').map(textOf)).toEqual(['/slow 60000', 'one', 'two']);
  });

  it('with different configurations take turns: never two agents at once', async () => {
    const host = harness.manage(agent());
    const alive = new Set<number>();
    let most = 0;
    host.manager.on('session-open', ({ session }) => {
      alive.add(session.connection.pid);
      most = Math.max(most, alive.size);
    });
    host.manager.on('agent-exit', ({ pid }) => void alive.delete(pid));
    const grants = await Promise.all(
      ['a', 'b', 'c'].map((value) =>
        host.manager.getOrCreate(harness.request({ agentServer: { ...agent(), env: { VALUE: value } } })),
      ),
    );
    expect(host.spawned).toBe(3);
    expect(most).toBe(1);
    expect(new Set(grants.map(({ session }) => session.sessionId)).size).toBe(3);
  });

  it('with prompts of different configurations: each runs with its own', async () => {
    const host = harness.manage(agent());
    const ask = async (value: string) => {
      const agentServer = { ...agent(), env: { VALUE: value } };
      const { turn } = await host.manager.prompt(harness.request({ prompt: '/env VALUE', agentServer }));
      return turn.text();
    };
    const values = ['a', 'b', 'a', 'c'];
    expect(await Promise.all(values.map(ask))).toEqual(values);
  });
});

describe('different projects', () => {
  it('never wait for each other', async () => {
    const host = harness.manage(agent('hangs-at', { times: 1 }));
    const hanging = host.manager.getOrCreate(harness.request({}, 'p1'));
    hanging.catch(() => undefined);
    await waitUntil('the first agent to hang', () => received(harness.record, 'session/new').length === 1);
    const { turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }, 'p2'));
    expect(await turn.text()).toContain('Hello');
    await host.manager.stop('p1');
    await expect(hanging).rejects.toMatchObject({ code: 'closed' });
  });

  it('start together only so many at once', async () => {
    const host = harness.manage(agent('slow-start', { delayMs: 100 }), { maxStartingAgents: 2 });
    let starting = 0;
    let most = 0;
    host.launcher.on('stage', (stage) => {
      if (stage !== 'spawn') return;
      starting += 1;
      most = Math.max(most, starting);
    });
    host.manager.on('session-open', () => void (starting -= 1));
    const projects = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(projects.map((id) => host.manager.getOrCreate(harness.request({}, id))));
    expect([most, host.spawned]).toEqual([2, 5]);
  });

  it('B62: get environments of their own, and the host keeps its own', async () => {
    const before = { ...process.env };
    const host = harness.manage(agent());
    const provider = (name: string) => ({
      id: name,
      name,
      baseUrl: `https://${name}.test`,
      apiKey: `key-of-${name}-123`,
      defaultModel: 'm',
    });
    const answers = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => {
        const request = harness.request(
          { prompt: '/env ANTHROPIC_BASE_URL', modelProvider: provider(name) },
          name,
        );
        return (await host.manager.prompt(request)).turn.text();
      }),
    );
    expect(answers).toEqual(['https://one.test', 'https://two.test', 'https://three.test']);
    expect(process.env).toEqual(before);
    // Nor does one project go on with the credentials of another request.
    const changed = harness.request(
      { prompt: '/env ANTHROPIC_API_KEY', modelProvider: provider('four') },
      'one',
    );
    const { action, turn } = await host.manager.prompt(changed);
    expect([action, await turn.text()]).toEqual(['replaced', 'key-of-four-123']);
  });
});

describe('a caller that gives up', () => {
  it('does not end a launch that another one waits for', async () => {
    const host = harness.manage(agent('slow-start', { delayMs: 300 }));
    const controller = new AbortController();
    const given = host.manager.getOrCreate(harness.request({ signal: controller.signal }));
    const kept = host.manager.getOrCreate(harness.request());
    controller.abort(new Error('gone'));
    await expect(given).rejects.toMatchObject({ code: 'aborted', cause: { message: 'gone' } });
    expect((await kept).session.resume).toEqual({ status: 'fresh' });
    expect(host.spawned).toBe(1);
  });

  it('ends a launch that nobody else waits for, and the next caller gets one of its own', async () => {
    const host = harness.manage(agent('hangs-at', { times: 1 }));
    const controller = new AbortController();
    const given = host.manager.getOrCreate(harness.request({ signal: controller.signal }));
    given.catch(() => undefined);
    await waitUntil('the agent to hang', () => received(harness.record, 'session/new').length === 1);
    controller.abort();
    const next = host.manager.getOrCreate(harness.request());
    await expect(given).rejects.toMatchObject({ code: 'aborted' });
    expect((await next).session.resume).toEqual({ status: 'fresh' });
    expect(host.told('agent-exit')).toMatchObject([{ expected: true }]);
    expect(host.spawned).toBe(2);
  });

  it('leaves the line, and those behind it go on', async () => {
    const host = harness.manage(agent());
    const running = await host.manager.prompt(harness.request({ prompt: '/slow 60000' }));
    const controller = new AbortController();
    const given = host.manager.prompt(harness.request({ prompt: 'given up', signal: controller.signal }));
    const kept = host.manager.prompt(harness.request({ prompt: 'kept' }));
    controller.abort();
    await expect(given).rejects.toMatchObject({ code: 'aborted' });
    await running.turn.cancel();
    expect(await (await kept).turn.text()).toContain('kept');
    expect(received(harness.record, 'session/prompt').map(textOf)).toEqual(['/slow 60000', 'kept']);
  });

  it('before it asks starts nothing', async () => {
    const host = harness.manage(agent());
    const signal = AbortSignal.abort();
    await expect(host.manager.prompt(harness.request({ prompt: 'Hello', signal }))).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(host.spawned).toBe(0);
  });

  it('in its turn cancels that', async () => {
    const host = harness.manage(agent());
    const controller = new AbortController();
    const { turn } = await host.manager.prompt(
      harness.request({ prompt: '/slow 60000', signal: controller.signal }),
    );
    controller.abort();
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
    expect((await host.manager.getOrCreate(harness.request())).action).toBe('reused');
  });
});
