import { describe, expect, it } from 'vitest';
import { faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { received, resumeOf } from '../../helpers/received.ts';

const harness = managerHarness();
const sessionId = '11111111-2222-4333-8444-555555555555';

const request = () =>
  harness.request({
    sessionId,
    systemPrompt: 'Be brief.',
    mcpServers: { files: { command: 'true', env: { KEY: 'secret-value-1' } } },
    startConfig: {
      claudeCodeOptions: { settingSources: ['project'] },
      extraMeta: { vendor: { trace: 'on' }, claudeCode: { options: { extra: 1 } } },
      additionalDirectories: [harness.folder.path],
    },
  });

describe.each<[string, FaultName[]]>([
  ['that failed', ['resume-fails']],
  ['that failed at its first prompt', ['resume-ok-then-prompt-unknown-session']],
  ['whose agent died', ['transient-crash-on-resume-once', 'no-session-list']],
])('the fallback from a resume %s', (_what, faults) => {
  it('keeps everything but the resume', async () => {
    const agent = faultyAgent([...faults, 'knows-additional-directories'], {
      record: harness.record,
      store: harness.store,
      ...(faults.includes('transient-crash-on-resume-once') && { shape: 'exit-silently', times: 2 }),
    });
    const host = harness.manage(agent);
    const { session, turn } = await host.manager.prompt({ ...request(), prompt: 'Hello' });
    await turn.result;
    expect(session.resume.status).toBe('fell-back');
    const openings = received(harness.record, 'session/new');
    const [first, last] = [openings[0]!, openings.at(-1)!];
    expect(resumeOf(first)).toBe(sessionId);
    expect(last.params).toEqual({
      cwd: harness.folder.file('p1'),
      mcpServers: [expect.objectContaining({ name: 'files', command: 'true' })],
      additionalDirectories: [harness.folder.path],
      _meta: {
        systemPrompt: { append: 'Be brief.' },
        vendor: { trace: 'on' },
        claudeCode: { options: { settingSources: ['project'], extra: 1 } },
      },
    });
    expect(last.params).toEqual({
      ...first.params,
      _meta: {
        ...(first.params['_meta'] as object),
        claudeCode: { options: { settingSources: ['project'], extra: 1 } },
      },
    });
  });
});

describe('modes and options that were set', () => {
  const agent = (...faults: FaultName[]) =>
    faultyAgent(['model-config-option', 'offers-modes', ...faults], {
      store: harness.store,
      record: harness.record,
    });
  const answer = async (host: ReturnType<typeof harness.manage>, prompt: string) => {
    const { session, turn } = await host.manager.prompt(harness.request({ prompt }));
    return { session, text: await turn.text() };
  };

  it('are set again in the session that is opened in the place of a lost one, before its first prompt', async () => {
    const host = harness.manage(agent());
    const { session } = await host.manager.getOrCreate(harness.request());
    await session.setMode('code');
    await session.setConfigOption('model', 'model-c');
    await (
      await host.manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
    await host.manager.stop('p1');
    const missing = { sessionId: '99999999-2222-4333-8444-555555555555' };
    const { session: fresh } = await host.manager.getOrCreate(harness.request(missing));
    expect(fresh.resume.status).toBe('fell-back');
    expect((await answer(host, '/mode')).text).toBe('mode: code');
    expect((await answer(host, '/model')).text).toBe('model: model-c');
    expect(host.told('setting-lost')).toEqual([]);
  });

  it('are set again after a crash and a resume', async () => {
    const host = harness.manage(agent());
    const { session } = await host.manager.getOrCreate(harness.request());
    await session.setMode('code');
    await (
      await host.manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
    await session.connection.kill();
    const again = await answer(host, '/mode');
    expect(again.text).toBe('mode: code');
    expect(again.session.resume.status).toBe('resumed');
  });

  it('are told to be lost where the agent offers them no more, after the session is', async () => {
    const host = harness.manage(agent());
    const { session } = await host.manager.getOrCreate(harness.request());
    await session.setMode('code');
    await (
      await host.manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
    const agentServer = faultyAgent([], { store: harness.store });
    await host.manager.getOrCreate(harness.request({ agentServer }));
    expect(host.told('setting-lost')).toMatchObject([
      { setting: 'mode', error: { code: 'capability-missing' } },
    ]);
    expect(host.order().slice(-2)).toEqual(['session-open', 'setting-lost']);
  });

  it('are nothing to another agent', async () => {
    const host = harness.manage(agent());
    const { session } = await host.manager.getOrCreate(harness.request());
    await session.setMode('code');
    await (
      await host.manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
    const agentServer = { ...faultyAgent([], { store: harness.store }), agentId: 'another' };
    const other = await host.manager.getOrCreate(harness.request({ agentServer }));
    expect(other.session.resume).toMatchObject({ status: 'fresh', reason: 'agent-changed' });
    expect(host.told('setting-lost')).toEqual([]);
  });
});
