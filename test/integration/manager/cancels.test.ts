import { writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { received, textOf } from '../../helpers/received.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const harness = managerHarness();
const agent = (fault: FaultName | readonly FaultName[] = [], options: object = {}) =>
  faultyAgent(fault, { store: harness.store, record: harness.record, ...options });
const cancelled = {
  code: 'aborted',
  phase: 'prompt',
  message: 'the prompt was cancelled before it was sent',
};
const prompts = () => received(harness.record, 'session/prompt').map(textOf);
const isOpening = () => waitUntil('session/new', () => received(harness.record, 'session/new').length > 0);

describe('a cancel before the prompt is sent', () => {
  it('in the very moment of the prompt: nothing is started, and the next prompt is served', async () => {
    const host = harness.manage(agent());
    const asked = host.manager.prompt(harness.request({ prompt: 'one' }));
    await host.manager.cancel('p1');
    await expect(asked).rejects.toMatchObject(cancelled);
    const { turn } = await host.manager.prompt(harness.request({ prompt: 'two' }));
    await turn.result;
    expect([prompts(), host.spawned]).toEqual([['two'], 1]);
  });

  it.each<[string, FaultName, string]>([
    ['starts', 'never-answers-initialize', 'initialize'],
    ['opens the session', 'hangs-at', 'session/new'],
  ])('while the agent %s: the launch is given up, and leaves nothing', async (_what, fault, method) => {
    const host = harness.manage(agent(fault, { times: 1 }));
    const asked = host.manager.prompt(harness.request({ prompt: 'one' }));
    asked.catch(() => undefined);
    await waitUntil(method, () => received(harness.record, method).length > 0);
    await host.manager.cancel('p1');
    await expect(asked).rejects.toMatchObject(cancelled);
    await waitUntil('the agent to be gone', () => host.manager.snapshot()[0]?.state === 'stopped');
    expect(prompts()).toEqual([]);
    expect(host.manager.list()).toEqual([]);
  });

  it('leaves a launch alone that somebody else waits for', async () => {
    const host = harness.manage(agent('delays-at', { at: 'session/new', delayMs: 300 }));
    const asked = host.manager.prompt(harness.request({ prompt: 'one' }));
    const opening = host.manager.getOrCreate(harness.request());
    asked.catch(() => undefined);
    await isOpening();
    await host.manager.cancel('p1');
    await expect(asked).rejects.toMatchObject(cancelled);
    expect((await opening).session).toBe(host.manager.get('p1'));
    expect([prompts(), host.spawned]).toEqual([[], 1]);
  });

  it('ends that one alone: those that wait behind it follow', async () => {
    const host = harness.manage(agent('hangs-at', { times: 1 }));
    const [one, two] = ['one', 'two'].map((prompt) => host.manager.prompt(harness.request({ prompt })));
    one?.catch(() => undefined);
    await isOpening();
    await host.manager.cancel('p1');
    await expect(one).rejects.toMatchObject(cancelled);
    await (
      await two
    )?.turn.result;
    expect(prompts()).toEqual(['two']);
  });

  it('while its files are read', async () => {
    const host = harness.manage(agent());
    await (
      await host.manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
    const file = harness.folder.file('note.md');
    writeFileSync(file, '# Note');
    const attachments = Array.from({ length: 500 }, () => ({ path: file, as: 'link' as const }));
    for (const end of ['cancel', 'stop'] as const) {
      const asked = host.manager.prompt(harness.request({ prompt: 'with files', attachments }));
      asked.catch(() => undefined);
      await host.manager.getOrCreate(harness.request());
      await host.manager[end]('p1');
      await expect(asked).rejects.toMatchObject({ code: end === 'cancel' ? 'aborted' : 'closed' });
    }
    expect(prompts()).toEqual(['Hello']);
  });

  it('while the session is replaced that did not know it: it is not sent again', async () => {
    const faults = ['resume-ok-then-prompt-unknown-session', 'hangs-at'] as const;
    const host = harness.manage(agent(faults, { at: 'session/new', after: 1 }));
    const sessionId = '11111111-1111-4111-8111-111111111111';
    const asked = host.manager.prompt(harness.request({ sessionId, prompt: 'one' }));
    asked.catch(() => undefined);
    await waitUntil('the fresh session', () => received(harness.record, 'session/new').length === 2);
    await host.manager.cancel('p1');
    await expect(asked).rejects.toMatchObject(cancelled);
    expect(prompts()).toEqual(['one']);
    await waitUntil('the agent to be gone', () => host.manager.snapshot()[0]?.state === 'stopped');
  });

  it('while it waits for its place to start', async () => {
    const host = harness.manage(agent('hangs-at'), { maxStartingAgents: 1 });
    const first = host.manager.getOrCreate(harness.request({}, 'p1'));
    first.catch(() => undefined);
    await isOpening();
    const second = host.manager.prompt(harness.request({ prompt: 'two' }, 'p2'));
    second.catch(() => undefined);
    await waitUntil('the second to wait', () => host.manager.snapshot()[1]?.state === 'starting');
    await host.manager.cancel('p2');
    await expect(second).rejects.toMatchObject(cancelled);
    await host.manager.stop('p1');
    await expect(first).rejects.toMatchObject({ code: 'closed' });
    expect(host.spawned).toBe(1);
  });

  it('is none once it is sent: a first turn after a resume that says nothing is cancelled as a turn', async () => {
    const host = harness.manage(agent('hangs-at', { at: 'session/prompt', after: 1 }), {
      launch: { cancelTimeoutMs: 200 },
    });
    const first = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    await first.turn.result;
    await host.manager.stop('p1');
    const asked = host.manager.prompt(harness.request({ prompt: 'one' }));
    await waitUntil('the prompt', () => prompts().length === 2);
    await host.manager.cancel('p1');
    const { session, turn } = await asked;
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
    expect(session.resume.status).toBe('resumed');
  });

  it('is none to those who only want the session', async () => {
    const host = harness.manage(agent('delays-at', { at: 'session/new', delayMs: 200 }));
    const opening = host.manager.getOrCreate(harness.request());
    await isOpening();
    await host.manager.cancel('p1');
    expect((await opening).action).toBe('opened');
  });
});

describe('the order of prompts', () => {
  it('is that in which they were asked for, however long one takes to be planned', async () => {
    const host = harness.manage(agent());
    const plan = host.launcher.planLaunch.bind(host.launcher);
    vi.spyOn(host.launcher, 'planLaunch').mockImplementationOnce(async (...request) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return plan(...request);
    });
    const asked = ['one', 'two', 'three'].map((prompt) => host.manager.prompt(harness.request({ prompt })));
    for (const prompt of asked) await (await prompt).turn.result;
    expect(prompts()).toEqual(['one', 'two', 'three']);
  });
});

describe('a stop does not wait for an agent that does not answer', () => {
  it('when it is asked to take a mode again', async () => {
    const host = harness.manage(agent(['offers-modes', 'hangs-at'], { at: 'session/set_mode', after: 1 }), {
      launch: { requestTimeoutMs: 3_600_000 },
    });
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    await turn.result;
    await session.setMode('code');
    await session.connection.kill();
    const asked = host.manager.prompt(harness.request({ prompt: '/mode' }));
    asked.catch(() => undefined);
    await waitUntil('the mode', () => received(harness.record, 'session/set_mode').length === 2);
    await host.manager.stop('p1');
    await expect(asked).rejects.toMatchObject({ code: 'closed' });
    expect(prompts()).toEqual(['Hello']);
  });

  it('when it is asked to take a mode again, in a session that has just taken the place of another', async () => {
    const faults = [
      'resume-ok-then-prompt-unknown-session',
      'session-close-never-answers',
      'offers-modes',
      'hangs-at',
    ] as const;
    const host = harness.manage(agent(faults, { at: 'session/set_mode', after: 1 }), {
      launch: { requestTimeoutMs: 3_600_000, closeSessionTimeoutMs: 500 },
    });
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    await turn.result;
    await session.setMode('code');
    await session.connection.kill();
    const asked = host.manager.prompt(harness.request({ prompt: '/mode' }));
    asked.catch(() => undefined);
    await waitUntil('the end of the lost one', () => received(harness.record, 'session/close').length === 1);
    await host.manager.stop('p1');
    await expect(asked).rejects.toMatchObject({ code: 'closed' });
  });

  it('when it is asked to switch its model', async () => {
    const faults = ['model-config-option', 'hangs-at'] as const;
    const host = harness.manage(agent(faults, { at: 'session/set_config_option' }), {
      launch: { requestTimeoutMs: 3_600_000 },
    });
    const provider = (defaultModel: string) => ({
      modelProvider: { id: 'p', name: 'P', baseUrl: '', apiKey: '', defaultModel },
    });
    await host.manager.getOrCreate(harness.request(provider('model-a')));
    const asked = host.manager.getOrCreate(harness.request(provider('model-b')));
    asked.catch(() => undefined);
    await waitUntil('the switch', () => received(harness.record, 'session/set_config_option').length === 1);
    await host.manager.stop('p1');
    await expect(asked).rejects.toMatchObject({ code: 'closed' });
  });
});
