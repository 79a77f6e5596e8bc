import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import { managerHarness, type ManagedHost } from '../../helpers/manager-harness.ts';
import { received } from '../../helpers/received.ts';

const harness = managerHarness();
const agent = (fault: FaultName | readonly FaultName[], options: object = {}) =>
  faultyAgent(fault, { store: harness.store, record: harness.record, ...options });
const model = (defaultModel: string) => ({
  modelProvider: { id: 'p', name: 'P', baseUrl: 'https://models.test', apiKey: 'key-123456', defaultModel },
});

async function ask(host: ManagedHost, prompt: string, defaultModel: string) {
  const managed = await host.manager.prompt(harness.request({ prompt, ...model(defaultModel) }));
  return { ...managed, text: await managed.turn.text() };
}

describe('X15: another model', () => {
  it('is switched live where the agent offers it: same process, same session, nothing lost', async () => {
    const host = harness.manage(agent('model-config-option'));
    const first = await ask(host, '记住数字 42', 'model-a');
    const second = await ask(host, '/model', 'model-b');
    expect([second.action, second.text]).toEqual(['model-switched', 'model: model-b']);
    expect(second.session).toBe(first.session);
    expect((await ask(host, '我之前说的数字是多少？', 'model-b')).text).toContain('42');
    expect((await ask(host, '/model', 'model-b')).action).toBe('reused');
    expect(host.spawned).toBe(1);
  });

  it.each<[string, FaultName[]]>([
    ['the agent has no such option', []],
    ['the agent refuses it', ['model-switch-fails']],
  ])('restarts the agent with the new environment and resumes where %s', async (_why, faults) => {
    const host = harness.manage(agent(faults));
    const first = await ask(host, '记住数字 42', 'model-a');
    const second = await ask(host, '/env ANTHROPIC_MODEL', 'model-b');
    expect([second.action, second.text]).toEqual(['replaced', 'model-b']);
    expect(second.session.resume).toMatchObject({ status: 'resumed', sessionId: first.session.sessionId });
    expect((await ask(host, '我之前说的数字是多少？', 'model-b')).text).toContain('42');
    expect(host.spawned).toBe(2);
  });

  it('is refused in mid-turn, and the turn goes on', async () => {
    const host = harness.manage(agent('model-config-option'));
    const request = { prompt: '/slow 60000', ...model('model-a') };
    const running = await host.manager.prompt(harness.request(request));
    await expect(host.manager.getOrCreate(harness.request(model('model-b')))).rejects.toMatchObject({
      code: 'session-busy',
    });
    expect(running.turn.state).toBe('running');
    expect(received(harness.record, 'session/set_config_option')).toEqual([]);
  });

  it('is switched in mid-turn where that was asked for', async () => {
    const host = harness.manage(agent('model-config-option'));
    const running = await host.manager.prompt(
      harness.request({ prompt: '/slow 60000', ...model('model-a') }),
    );
    const wanted = harness.request({ ...model('model-b'), evenDuringTurn: true });
    expect((await host.manager.getOrCreate(wanted)).action).toBe('model-switched');
    expect(running.turn.state).toBe('running');
  });

  it('lets no prompt slip in while it is switched: that runs with its own model, afterwards', async () => {
    const slow = agent(['model-config-option', 'delays-at'], {
      at: 'session/set_config_option',
      delayMs: 400,
    });
    const host = harness.manage(slow);
    await ask(host, 'Hello', 'model-a');
    const file = harness.folder.file('note.md');
    writeFileSync(file, '# Note');
    // It has its session, and reads its files, when the change begins.
    const attachments = Array.from({ length: 500 }, () => ({ path: file, as: 'link' as const }));
    const request = harness.request({ prompt: '/model', attachments, ...model('model-a') });
    const asked = host.manager.prompt(request);
    const change = await host.manager.getOrCreate(harness.request(model('model-b')));
    expect(change.action).toBe('model-switched');
    const { action, turn } = await asked;
    expect([action, await turn.text()]).toEqual(['model-switched', 'model: model-a']);
    const switches = received(harness.record, 'session/set_config_option').map(
      ({ params }) => params['value'],
    );
    expect(switches).toEqual(['model-b', 'model-a']);
  });

  it('survives a crash: the model that was switched to is switched to again', async () => {
    const host = harness.manage(agent('model-config-option'));
    await ask(host, 'Hello', 'model-a');
    await ask(host, 'Hello', 'model-b');
    await host.manager.get('p1')?.connection.kill();
    const { text, session } = await ask(host, '/model', 'model-b');
    expect([text, session.resume.status]).toEqual(['model: model-b', 'resumed']);
  });

  it('that was switched to does not come back where the agent is started with another one', async () => {
    const host = harness.manage(agent('model-config-option'));
    await ask(host, 'Hello', 'model-a');
    await ask(host, 'Hello', 'model-b');
    // It is not offered live: the agent starts again, and decides by its environment.
    const { action, session } = await ask(host, 'Hello', 'model-d');
    expect([action, session.resume.status]).toEqual(['replaced', 'resumed']);
    const switches = received(harness.record, 'session/set_config_option').map(
      ({ params }) => params['value'],
    );
    expect(switches).toEqual(['model-b']);
  });

  it('that can not be started leaves the conversation as it was', async () => {
    const host = harness.manage(agent([]));
    await ask(host, '记住数字 42', 'model-a');
    const agentServer = agent('dies-in-session-new');
    await expect(
      host.manager.prompt(harness.request({ prompt: 'Hello', agentServer, ...model('model-b') })),
    ).rejects.toMatchObject({ code: 'agent-exited' });
    const { text } = await ask(host, '我之前说的数字是多少？', 'model-a');
    expect(text).toContain('42');
  });

  it.each([
    ['another one', 'key-other-1'],
    ['one that holds the name of the model', 'key-of-model-b'],
  ])('B62: beside another key restarts the agent, whatever it offers: %s', async (_what, apiKey) => {
    const host = harness.manage(agent('model-config-option'));
    const request = (defaultModel: string, key: string) => {
      const { modelProvider } = model(defaultModel);
      return harness.request({
        prompt: '/env ANTHROPIC_API_KEY',
        modelProvider: { ...modelProvider, apiKey: key },
      });
    };
    await (
      await host.manager.prompt(request('model-a', 'key-of-model-a'))
    ).turn.result;
    const { action, turn } = await host.manager.prompt(request('model-b', apiKey));
    expect([action, await turn.text()]).toEqual(['replaced', apiKey]);
  });
});
