import { describe, expect, it } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import { AgentLauncher, AgentStartConfig, type AgentConnection } from '../../../src/index.ts';
import { agentRuns, failureOf } from '../../helpers/agent-runs.ts';

const runs = agentRuns();

/** What callers without types pass; each is wrong wherever an object of options is expected. */
const noObjects: readonly unknown[] = [null, 7, 'text', true, [], () => undefined];
const wrong = (value: unknown) => value as never;

/** The field that the error names, or what was thrown instead. */
function fieldOf(error: unknown): unknown {
  const { code, facts } = error as { code?: string; facts?: { field?: string } };
  return code === 'invalid-config' ? facts?.field : error;
}

function thrownField(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return fieldOf(error);
  }
  return 'nothing was thrown';
}

const launcher = new AgentLauncher(faultyAgent([]));
type LaunchArguments = Parameters<AgentLauncher['launch']>;

/** What `launch` and `connect` name for one wrong argument. */
async function launchFields(index: number, value: unknown): Promise<unknown[]> {
  const request: LaunchArguments = ['project', runs.folder.path, undefined, {}, {}, {}];
  request[index] = wrong(value);
  const fields: unknown[] = [];
  for (const start of ['launch', 'connect'] as const) {
    fields.push(fieldOf(await failureOf(launcher[start](...request))));
  }
  return fields;
}

describe('a launcher', () => {
  it.each(noObjects.map((value) => [value]))('is not made of %o', (value) => {
    expect(thrownField(() => new AgentLauncher(wrong(value)))).toBe('options');
  });

  const options: readonly (readonly [string, unknown])[] = [
    ...[null, 7, [], ''].map((value) => ['agent', value] as const),
    ...[null, 7, [], '', ' '].map((value) => ['command', value] as const),
    ...[null, 'x', [7], {}].map((value) => ['args', value] as const),
    ...[null, 7, {}].map((value) => ['agentId', value] as const),
    ...[null, 7, [], 'A=1'].map((value) => ['env', value] as const),
    ...[null, 7, 'PATH', [7], {}].map((value) => ['inheritEnv', value] as const),
    ...[null, '/bin', [7], {}].map((value) => ['prependPath', value] as const),
    ...[null, 'yes', 1].map((value) => ['createProjectDir', value] as const),
    ...[null, 7, {}].map((value) => ['authMethodId', value] as const),
    ...[null, 'yes', 1].map((value) => ['orphanGuard', value] as const),
    ...[null, {}, 'x'].map((value) => ['onWireLine', value] as const),
    ...[null, '5', -1, NaN, {}].map((value) => ['closeGraceMs', value] as const),
    ...[null, '5', 0, 1.5, NaN].map((value) => ['maxLineBytes', value] as const),
    ...[null, '5', -1, 1.5].map((value) => ['maxQueuedPrompts', value] as const),
    ['closeGrace', 5],
  ];
  it.each(options)('refuses the option %s: %o', (name, value) => {
    expect(thrownField(() => new AgentLauncher(wrong({ [name]: value })))).toBe(name);
  });

  it.each([null, undefined, 7, {}])('is not listened to by %o', (listener) => {
    expect(thrownField(() => launcher.on('stage', wrong(listener)))).toBe('listener');
  });
});

describe('launch and connect', () => {
  const cases: readonly (readonly [string, number, readonly unknown[]])[] = [
    ['projectId', 0, [undefined, null, 7, '', {}]],
    ['path', 1, [undefined, null, 7, '', {}, 'a\0b']],
    ['modelProvider', 2, [null, 7, 'text', []]],
    ['startConfig', 3, [...noObjects]],
    ['client', 4, [undefined, null, 7, 'text']],
    ['options', 5, noObjects],
  ];
  it.each(cases)('name %s', async (field, index, values) => {
    for (const value of values) {
      expect({ value, fields: await launchFields(index, value) }).toEqual({ value, fields: [field, field] });
    }
  });

  it.each<[number, unknown, string]>([
    [2, { id: 'a', name: 'b', baseUrl: 7, apiKey: '', defaultModel: '' }, 'modelProvider.baseUrl'],
    [2, {}, 'modelProvider.id'],
    [3, { systemPrompt: 7 }, 'systemPrompt'],
    [3, { mcpServers: null }, 'mcpServers'],
    [3, { mcpServers: [null] }, 'mcpServers[0]'],
    [3, { mcpServers: [{ name: 'a', command: 'a', env: [{ name: 'A' }] }] }, 'mcpServers[0].env[0].value'],
    [3, { resumeSessionId: null }, 'resumeSessionId'],
    [3, { claudeCodeOptions: [] }, 'claudeCodeOptions'],
    [3, { extraMeta: 7 }, 'extraMeta'],
    [3, { additionalDirectories: '/' }, 'additionalDirectories'],
    [3, { agentServer: null }, 'agentServer'],
    [3, { agentServer: { command: 'a', env: { A: 7 } } }, 'agentServer.env.A'],
    [3, { sytemPrompt: 'a typing error' }, 'sytemPrompt'],
    [4, { requestPermission: true }, 'client.requestPermission'],
    [5, { signal: null }, 'options.signal'],
    [5, { signal: new AbortController() }, 'options.signal'],
    [5, { env: [] }, 'options.env'],
    [5, { env: { A: 7 } }, 'env.A'],
    [5, { env: { 'A=B': '7' } }, 'env["A=B"]'],
    [5, { closeGraceMs: '5' }, 'options.closeGraceMs'],
    [5, { closeGrace: 5 }, 'options.closeGrace'],
  ])('name the part of argument %i that is wrong: %o', async (index, value, field) => {
    expect(await launchFields(index, value)).toEqual([field, field]);
  });

  it('the static one as well', async () => {
    const launching = AgentLauncher.launch('p', runs.folder.path, undefined, wrong(null), {});
    expect(fieldOf(await failureOf(launching))).toBe('startConfig');
  });
});

describe('a start configuration', () => {
  it.each(noObjects.map((value) => [value]))('is not made of %o', (value) => {
    expect(thrownField(() => new AgentStartConfig(wrong(value)))).toBe('startConfig');
  });

  it.each([undefined, null, 7, '', ' '])('does not resume %o', (value) => {
    expect(thrownField(() => new AgentStartConfig().withResume(wrong(value)))).toBe('resumeSessionId');
  });
});

describe('a connection', () => {
  const config = new AgentStartConfig();
  const cases: readonly (readonly [string, string, (connection: AgentConnection) => Promise<unknown>])[] = [
    ['openSession', 'startConfig', (agent) => agent.openSession(wrong(null))],
    ['openSession', 'options', (agent) => agent.openSession(config, wrong(null))],
    ['openSession', 'options.signal', (agent) => agent.openSession(config, wrong({ signal: 7 }))],
    ['openSession', 'options.cwd', (agent) => agent.openSession(config, wrong({ cwd: 7 }))],
    ['openSession', 'options.cwd', (agent) => agent.openSession(config, { cwd: 'relative' })],
    ['openSession', 'options.policy', (agent) => agent.openSession(config, wrong({ policy: 7 }))],
    ['openSession', 'options.sginal', (agent) => agent.openSession(config, wrong({ sginal: undefined }))],
    ['resumeSession', 'sessionId', (agent) => agent.resumeSession(wrong(undefined), config)],
    ['resumeSession', 'sessionId', (agent) => agent.resumeSession(wrong(null), config)],
    ['resumeSession', 'sessionId', (agent) => agent.resumeSession('', config)],
    ['resumeSession', 'startConfig', (agent) => agent.resumeSession('a', wrong(null))],
    ['resumeSession', 'options', (agent) => agent.resumeSession('a', config, wrong(null))],
    ['loadSession', 'sessionId', (agent) => agent.loadSession(wrong(undefined), config)],
    ['loadSession', 'startConfig', (agent) => agent.loadSession('a', wrong(null))],
    ['loadSession', 'options', (agent) => agent.loadSession('a', config, wrong(null))],
    ['listSessions', 'filter', (agent) => agent.listSessions(wrong(null)).next()],
    ['listSessions', 'filter.cwd', (agent) => agent.listSessions(wrong({ cwd: 7 })).next()],
    ['listSessions', 'filter.signal', (agent) => agent.listSessions(wrong({ signal: 7 })).next()],
    ['deleteSession', 'sessionId', (agent) => agent.deleteSession(wrong(undefined))],
    ['deleteSession', 'options', (agent) => agent.deleteSession('a', wrong(null))],
    ['deleteSession', 'options.signal', (agent) => agent.deleteSession('a', wrong({ signal: {} }))],
    ['authenticate', 'methodId', (agent) => agent.authenticate(wrong(undefined))],
    ['authenticate', 'options', (agent) => agent.authenticate('a', wrong(null))],
    ['logout', 'options', (agent) => agent.logout(wrong(null))],
    ['logout', 'options.signal', (agent) => agent.logout(wrong({ signal: 'x' }))],
    ['on', 'listener', (agent) => Promise.resolve().then(() => agent.on('noise', wrong(null)))],
  ];

  it('names what is wrong, and sends nothing', async () => {
    const agent = faultyAgent(['closes-sessions', 'load-replays-history'], { record: runs.record });
    const connection = await runs.connect(agent);
    const found: unknown[] = [];
    for (const [method, , call] of cases) {
      // It rejects: a call that returns a promise and throws at once is caught by nobody.
      const outcome = call(connection).catch((error: unknown) => fieldOf(error));
      found.push([method, await outcome]);
    }
    expect(found).toEqual(cases.map(([method, field]) => [method, field]));
    expect(connection.sessions).toEqual([]);
    expect(runs.received().map(({ method }) => method)).toEqual(['initialize']);
  });
});
