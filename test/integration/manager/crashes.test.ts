import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { received, textOf } from '../../helpers/received.ts';
import { SeenProcess } from '../../helpers/seen-process.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const harness = managerHarness();
const agent = (fault: FaultName | readonly FaultName[] = [], options: object = {}) =>
  faultyAgent(fault, { store: harness.store, record: harness.record, ...options });
const question = { prompt: '我之前说的数字是多少？' };

describe('a crash', () => {
  it('B34: in mid-turn rejects the turn at once, keeps what it said, and the next prompt goes on', async () => {
    const host = harness.manage(agent('dies-mid-turn', { after: 1, times: 1, count: 3 }));
    const first = await host.manager.prompt(harness.request({ prompt: '记住数字 42' }));
    await first.turn.result;
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    await expect(turn.result).rejects.toMatchObject({
      code: 'agent-exited',
      phase: 'prompt',
      retryable: true,
      facts: { exitSignal: 'SIGKILL' },
    });
    expect(turn.textSoFar).toBe('part 1 part 2 part 3 ');
    expect(host.told('agent-exit')).toMatchObject([{ expected: false, exit: { exitSignal: 'SIGKILL' } }]);
    expect(host.manager.get('p1')).toBeUndefined();
    expect(host.manager.snapshot()).toMatchObject([{ pid: undefined, lastErrorCode: 'agent-exited' }]);
    const next = await host.manager.prompt(harness.request(question));
    expect(await next.turn.text()).toContain('42');
    // B23: on a new process, never by a bare prompt.
    expect(next.session).not.toBe(session);
    expect(next.session.resume).toMatchObject({ status: 'resumed', sessionId: session.sessionId });
    expect(host.order().slice(-6)).toEqual([
      'agent-exit',
      'turn-end',
      'session-close',
      'session-open',
      'turn-start',
      'turn-end',
    ]);
  });

  it('keeps its last words and its error where a request comes in the very moment', async () => {
    const host = harness.manage(agent('dies-mid-turn', { times: 1, count: 50 }));
    const next = new Promise<string>((resolve, reject) => {
      host.manager.on('agent-exit', ({ expected }) => {
        if (expected) return;
        host.manager
          .getOrCreate(harness.request())
          .then(({ session }) => resolve(session.resume.status), reject);
      });
    });
    const { turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    await expect(turn.result).rejects.toMatchObject({ code: 'agent-exited' });
    expect(turn.textSoFar.trim().split(' ')).toHaveLength(100);
    expect(await next).toBe('resumed');
  });

  it('B26: while idle is told at once, and the next prompt is not lost', async () => {
    const host = harness.manage(agent('exits-when-idle', { exitCode: 3, times: 1 }));
    await (
      await host.manager.prompt(harness.request({ prompt: '记住数字 42' }))
    ).turn.result;
    expect(await host.until('agent-exit')).toMatchObject({ expected: false, exit: { exitCode: 3 } });
    expect(host.manager.list()).toEqual([]);
    const { turn } = await host.manager.prompt(harness.request(question));
    expect(await turn.text()).toContain('42');
    expect(received(harness.record, 'session/prompt').map(textOf)).toEqual(['记住数字 42', question.prompt]);
  });

  it('in mid-turn does not take the prompts that wait with it', async () => {
    const host = harness.manage(
      agent('dies-at', { at: 'session/prompt', after: 1, times: 1, exitSignal: 'SIGKILL' }),
    );
    await (
      await host.manager.prompt(harness.request({ prompt: '记住数字 42' }))
    ).turn.result;
    const dying = await host.manager.prompt(harness.request({ prompt: 'die' }));
    const waiting = host.manager.prompt(harness.request(question));
    await expect(dying.turn.result).rejects.toMatchObject({ code: 'agent-exited' });
    expect(await (await waiting).turn.text()).toContain('42');
    expect(received(harness.record, 'session/prompt').map(textOf)).toEqual([
      '记住数字 42',
      'die',
      question.prompt,
    ]);
  });

  it('leaves nothing of the agent behind, before it is started again', async () => {
    const pidFile = harness.folder.file('pid');
    const host = harness.manage(agent('spawns-children', { pidFile }));
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    await turn.result;
    const { pid } = session.connection;
    const children = readFileSync(`${pidFile}.children`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => new SeenProcess(Number(line)));
    expect(children).toHaveLength(2);
    process.kill(pid, 'SIGKILL');
    await host.until('agent-exit');
    await (
      await host.manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
    expect(children.map(({ isGone }) => isGone)).toEqual([true, true]);
  });

  it('of stdout alone counts as one: the process is ended, and the session resumed', async () => {
    const host = harness.manage(agent('stdout-eof-stays-alive', { times: 1 }));
    const { turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    await expect(turn.result).rejects.toMatchObject({ code: 'agent-exited' });
    expect(await host.until('agent-exit')).toMatchObject({ expected: false });
    const next = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    expect(await next.turn.text()).toContain('Hello');
  });

  it('is none where the caller ended the agent, and the conversation goes on', async () => {
    const host = harness.manage(agent(), { maxCrashes: 1 });
    for (const end of ['kill', 'close'] as const) {
      const { session, turn } = await host.manager.prompt(harness.request({ prompt: '记住数字 42' }));
      await turn.result;
      await session.connection[end]();
    }
    expect(host.told('agent-exit')).toMatchObject([{ expected: true }, { expected: true }]);
    const { turn } = await host.manager.prompt(harness.request(question));
    expect(await turn.text()).toContain('42');
  });

  it('that comes with a request costs that one nothing', async () => {
    const host = harness.manage(agent());
    await (
      await host.manager.prompt(harness.request({ prompt: '记住数字 42' }))
    ).turn.result;
    process.kill(host.manager.get('p1')!.connection.pid, 'SIGKILL');
    // The exit is not known here yet: whichever session is found, the prompt is answered or is told to be lost.
    const asked = await host.manager
      .prompt(harness.request(question))
      .then(({ turn }) => turn.text())
      .catch((error: unknown) => error);
    if (typeof asked === 'string') expect(asked).toContain('42');
    else expect(asked).toMatchObject({ code: 'agent-exited', retryable: true });
    const { turn } = await host.manager.prompt(harness.request(question));
    expect(await turn.text()).toContain('42');
  });
});

describe('the crash budget', () => {
  const crash = async (host: ReturnType<typeof harness.manage>) => {
    const { turn } = await host.manager.prompt(harness.request({ prompt: '/crash' }));
    await expect(turn.result).rejects.toMatchObject({ code: 'agent-exited' });
  };

  it('is taken up by crashes, and then the project is refused for a while; others are not', async () => {
    const host = harness.manage(agent(), { maxCrashes: 3, crashBackoffMs: 1 });
    for (let index = 0; index < 3; index += 1) await crash(host);
    await expect(host.manager.prompt(harness.request({ prompt: 'Hello' }))).rejects.toMatchObject({
      code: 'crash-budget',
      retryable: true,
    });
    expect(host.spawned).toBe(3);
    await (
      await host.manager.prompt(harness.request({ prompt: 'Hello' }, 'p2'))
    ).turn.result;
  });

  it('is free again when the window has moved on', async () => {
    const host = harness.manage(agent(), { maxCrashes: 1, crashWindowMs: 700 });
    await crash(host);
    await expect(host.manager.getOrCreate(harness.request())).rejects.toMatchObject({ code: 'crash-budget' });
    await waitUntil('the window to move on', () =>
      host.manager.getOrCreate(harness.request()).then(
        () => true,
        () => false,
      ),
    );
  });

  it('is free again after a stop, and for another configuration', async () => {
    const host = harness.manage(agent(), { maxCrashes: 1 });
    await crash(host);
    const agentServer = { ...agent(), env: { MENDED: '1' } };
    await (
      await host.manager.prompt(harness.request({ prompt: 'Hello', agentServer }))
    ).turn.result;
    await crash(host);
    await host.manager.stop('p1');
    await (
      await host.manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
  });

  it('is taken up by an agent that dies while it opens a session, once a launch', async () => {
    const host = harness.manage(agent('dies-in-session-new'), { maxCrashes: 2, crashBackoffMs: 1 });
    for (let index = 0; index < 2; index += 1) {
      await expect(host.manager.getOrCreate(harness.request())).rejects.toMatchObject({
        code: 'agent-exited',
      });
    }
    await expect(host.manager.getOrCreate(harness.request())).rejects.toMatchObject({ code: 'crash-budget' });
  });

  it('slows the start after a second crash down, and a stop ends the wait', async () => {
    const host = harness.manage(agent(), { maxCrashes: 9, crashBackoffMs: 60_000 });
    await crash(host);
    await crash(host);
    const waiting = host.manager.getOrCreate(harness.request());
    waiting.catch(() => undefined);
    await host.manager.stop('p1');
    await expect(waiting).rejects.toMatchObject({ code: 'closed' });
    expect(host.spawned).toBe(2);
  });
});
