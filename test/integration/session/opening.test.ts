import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import { AgentStartConfig } from '../../../src/config/agent-start-config.ts';
import { agentRuns, failureOf } from '../../helpers/agent-runs.ts';
import { isGone, waitUntil } from '../../helpers/wait-until.ts';

const runs = agentRuns();
const config = new AgentStartConfig();
const methods = () => runs.received().map(({ method }) => method);

describe('B09 an agent that wants authentication', () => {
  test('is not authenticated without a method of ours; the error says what it offers', async () => {
    const launched = runs.launch(faultyAgent('auth-required', { record: runs.record }));
    const error = await failureOf(launched);
    expect(error).toMatchObject({
      code: 'auth-required',
      phase: 'session',
      facts: { authMethods: ['api-key', 'login'], rpc: { code: -32000 } },
    });
    expect(error.message).toMatch(/api-key, login/);
    expect(methods()).toEqual(['initialize', 'session/new']);
    expect(isGone(error.facts.pid ?? 0)).toBe(true);
  });

  test('is authenticated once and asked once more', async () => {
    const agent = faultyAgent('auth-required', { record: runs.record });
    const session = await runs.launch(agent, { authMethodId: 'api-key' });
    expect(methods()).toEqual(['initialize', 'session/new', 'authenticate', 'session/new']);
    expect(runs.received('authenticate')[0]?.params).toEqual({ methodId: 'api-key' });
    expect((await session.prompt('/echo on').text()).trim()).toBe('on');
    // Of the two requests one session is left.
    expect(session.connection.sessions).toEqual([session]);
    await session.connection.logout();
    expect(methods().at(-1)).toBe('logout');
  });

  test('that is not satisfied by it is not asked a third time', async () => {
    const agent = faultyAgent('auth-never-suffices', { record: runs.record });
    const error = await failureOf(runs.launch(agent, { authMethodId: 'api-key' }));
    expect(error.code).toBe('auth-required');
    expect(methods()).toEqual(['initialize', 'session/new', 'authenticate', 'session/new']);
  });

  test('and refuses the method is told as that', async () => {
    const agent = faultyAgent(['auth-required', 'fails-at'], { at: 'authenticate', text: 'wrong key' });
    expect(await failureOf(runs.launch(agent, { authMethodId: 'api-key' }))).toMatchObject({
      code: 'request-failed',
      phase: 'authenticate',
      facts: { method: 'authenticate', rpc: { message: 'wrong key' } },
    });
  });

  test('and never answers the method meets its deadline', async () => {
    const agent = faultyAgent(['auth-required', 'hangs-at'], { at: 'authenticate' });
    const launched = runs.launch(agent, { authMethodId: 'api-key', authenticateTimeoutMs: 200 });
    expect(await failureOf(launched)).toMatchObject({ code: 'timeout', phase: 'authenticate' });
  });
});

describe('B66 MCP servers', () => {
  const mcpServers = [
    { name: 'tools', command: 'tools', env: { TOKEN: 'not-for-an-error-message' } },
    { name: 'search', command: 'search' },
  ];

  test('give session/new its longer time', async () => {
    const session = await runs.launch(faultyAgent('slow-session-new', { delayMs: 500 }), {
      config: { mcpServers },
      sessionTimeoutMs: 100,
    });
    expect(session.resume).toEqual({ status: 'fresh' });
  });

  test('are named, without their environment, when that passes too', async () => {
    const launched = runs.launch(faultyAgent('slow-session-new', { delayMs: 60_000 }), {
      config: { mcpServers },
      sessionWithMcpTimeoutMs: 300,
    });
    const error = await failureOf(launched);
    expect(error).toMatchObject({ code: 'timeout', facts: { timeoutMs: 300, method: 'session/new' } });
    expect(error.message).toMatch(/with the MCP servers tools, search/);
    expect(error.message).toContain('waiting for MCP servers');
    expect(JSON.stringify(error)).not.toContain('not-for-an-error-message');
    expect(isGone(error.facts.pid ?? 0)).toBe(true);
  });

  test('B67 are sent as arrays, in the form that a strict agent takes', async () => {
    const session = await runs.launch(faultyAgent('requires-mcp-array'), { config: { mcpServers } });
    expect(JSON.parse(await session.prompt('/mcp').text())).toMatchObject([
      {
        name: 'tools',
        args: [],
        env: expect.arrayContaining([{ name: 'TOKEN', value: 'not-for-an-error-message' }]) as unknown,
      },
      { name: 'search', args: [], env: [] },
    ]);
    await (await runs.launch(faultyAgent('requires-mcp-array'))).close();
  });

  test('over a transport that the agent does not take are refused before anything is sent', async () => {
    const connection = await runs.connect(faultyAgent([], { record: runs.record }));
    const http = new AgentStartConfig({
      mcpServers: [{ type: 'http', name: 'web', url: 'https://mcp.example/', headers: {} }],
    });
    expect(await failureOf(connection.openSession(http))).toMatchObject({ code: 'capability-missing' });
    expect(methods()).toEqual(['initialize']);
    expect(connection.alive).toBe(true);
  });
});

describe('X17 additional directories', () => {
  test('are sent where the agent advertises them', async () => {
    const session = await runs.launch(faultyAgent('knows-additional-directories'), {
      config: { additionalDirectories: [runs.folder.path] },
    });
    expect(JSON.parse(await session.prompt('/directories').text())).toEqual([runs.folder.path]);
  });

  test('are sent as they really are, and those that are not there as they were given', async () => {
    const link = runs.folder.file('link');
    symlinkSync(runs.folder.path, link);
    const session = await runs.launch(faultyAgent('knows-additional-directories'), {
      config: { additionalDirectories: [link, '/not/there'] },
    });
    expect(JSON.parse(await session.prompt('/directories').text())).toEqual([runs.folder.path, '/not/there']);
  });

  test('are not sent elsewhere, and that is told', async () => {
    const connection = await runs.connect(faultyAgent('rejects-additional-directories'));
    const told: string[] = [];
    connection.on('not-supported', (what) => told.push(what));
    await connection.openSession(new AgentStartConfig({ additionalDirectories: [runs.folder.path] }));
    expect(told).toEqual(['additionalDirectories']);
  });

  test('that are not set are not sent on a load, so that the agent keeps its own', async () => {
    const agent = faultyAgent(['knows-additional-directories', 'load-replays-history'], {
      store: runs.folder.path,
    });
    const first = await runs.launch(agent, { config: { additionalDirectories: [runs.folder.path] } });
    await first.prompt('/echo hi').result;
    await first.close();
    const connection = await runs.connect(agent);
    const kept = await connection.loadSession(first.sessionId, config);
    expect(JSON.parse(await kept.prompt('/directories').text())).toEqual([runs.folder.path]);
    await kept.close();
    const cleared = await connection.loadSession(
      first.sessionId,
      new AgentStartConfig({ additionalDirectories: [] }),
    );
    expect(JSON.parse(await cleared.prompt('/directories').text())).toEqual([]);
  });
});

describe('B72 an error of the agent', () => {
  test('is readable, with code, message and data', async () => {
    const agent = faultyAgent('fails-at', { details: 'the model is not there' });
    const error = await failureOf(runs.launch(agent));
    expect(error).toMatchObject({
      code: 'request-failed',
      facts: {
        method: 'session/new',
        rpc: { code: -32603, message: 'Internal error', data: { details: 'the model is not there' } },
      },
    });
    expect(error.message).toContain('Internal error: the model is not there (-32603)');
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      code: 'request-failed',
      rpc: { code: -32603 },
    });
  });

  test('that says nothing has the last lines of stderr', async () => {
    const error = await failureOf(runs.launch(faultyAgent('error-on-stderr-only')));
    expect(error.message).toContain('the licence has run out');
  });

  test('does not show what was secret', async () => {
    const secret = 'sk-2b8e5d0f-very-secret';
    const agent = faultyAgent('fails-at', {
      details: `the key ${secret} is wrong`,
      env: { MY_API_KEY: secret },
    });
    const error = await failureOf(runs.launch(agent));
    expect(error.message).toContain('the key ');
    expect(JSON.stringify(error)).not.toContain(secret);
  });
});

describe('the same id twice', () => {
  test('is refused while the session is open here, and can be had after it', async () => {
    const agent = faultyAgent('load-replays-history', { store: runs.folder.path });
    const session = await runs.open(agent);
    await session.prompt('/echo hi').result;
    const { connection, sessionId } = session;
    for (const opening of [
      connection.loadSession(sessionId, config),
      connection.resumeSession(sessionId, config),
      connection.openSession(config.withResume(sessionId)),
    ]) {
      expect(await failureOf(opening)).toMatchObject({ code: 'session-conflict', facts: { sessionId } });
    }
    expect((await session.prompt('/echo still').text()).trim()).toBe('still');
    await session.close();
    const resumed = await connection.resumeSession(sessionId, config);
    expect(resumed.resume).toMatchObject({ status: 'resumed', method: 'session/resume' });
    expect((await resumed.prompt('/echo again').text()).trim()).toBe('again');
  });
});

test('an agent that gives the same id twice has one session of that name, the later one', async () => {
  const agent = faultyAgent('session-new-null-result', { text: '{"sessionId":"the-same"}' });
  const connection = await runs.connect(agent);
  const first = await connection.openSession(config);
  const second = await connection.openSession(config);
  await first.closed;
  expect(connection.sessions).toEqual([second]);
  expect(await failureOf(first.prompt('go').result)).toMatchObject({ code: 'closed' });
  await first.close();
  expect(connection.sessions).toEqual([second]);
});

describe('what fails leaves no session behind', () => {
  test('a load that the agent refuses', async () => {
    const connection = await runs.connect(faultyAgent('load-refused'));
    const seen: unknown[] = [];
    connection.on('unrouted-update', (sessionId) => seen.push(sessionId));
    await failureOf(connection.loadSession('never-was', config));
    expect(connection.sessions).toEqual([]);
    const session = await connection.openSession(config);
    expect((await session.prompt('/echo on').text()).trim()).toBe('on');
  });

  test('an answer without an id', async () => {
    const connection = await runs.connect(faultyAgent('session-new-null-result'));
    expect(await failureOf(connection.openSession(config))).toMatchObject({
      code: 'invalid-response',
      facts: { method: 'session/new' },
    });
    expect(connection.sessions).toEqual([]);
  });

  test('an opening that is aborted', async () => {
    const connection = await runs.connect(faultyAgent('hangs-at', { record: runs.record, times: 1 }));
    const controller = new AbortController();
    const opening = connection.openSession(config, { signal: controller.signal });
    opening.catch(() => undefined);
    await waitUntil('the request', () => runs.received('session/new').length === 1);
    controller.abort(new Error('enough'));
    expect(await failureOf(opening)).toMatchObject({ code: 'aborted', cause: { message: 'enough' } });
    expect(connection.sessions).toEqual([]);
    await (await connection.openSession(config)).close();
  });
});

describe('B19 the directory of a session', () => {
  test('is what it really is, however it is spelled', async () => {
    const connection = await runs.connect(faultyAgent([], { record: runs.record }));
    const [folder, link] = [runs.folder.file('other'), runs.folder.file('link')];
    mkdirSync(folder);
    symlinkSync(folder, link);
    const session = await connection.openSession(config, { cwd: `${link}/` });
    expect(session.cwd).toBe(folder);
    expect(runs.received('session/new')[0]?.params).toMatchObject({ cwd: folder });
  });

  test('that is not there is told before anything is sent', async () => {
    const connection = await runs.connect(faultyAgent([], { record: runs.record }));
    const opening = connection.openSession(config, { cwd: runs.folder.file('nowhere') });
    expect(await failureOf(opening)).toMatchObject({ code: 'cwd-missing' });
    expect(methods()).toEqual(['initialize']);
  });
});

describe('B12 what is not advertised', () => {
  test('is not sent', async () => {
    const connection = await runs.connect(faultyAgent('no-session-list', { record: runs.record }));
    for (const asked of [
      connection.listSessions().next(),
      connection.deleteSession('s'),
      connection.logout(),
      connection.loadSession('s', config),
      connection.resumeSession('s', config),
    ]) {
      expect(await failureOf(asked)).toMatchObject({ code: 'capability-missing' });
    }
    expect(connection.nativeResumeMethod).toBeUndefined();
    expect(methods()).toEqual(['initialize']);
  });
});

describe('sessions of the agent', () => {
  test('are listed over all pages, for one directory or all', async () => {
    const store = runs.folder.path;
    const connection = await runs.connect(faultyAgent('closes-sessions', { store, record: runs.record }));
    const ids: string[] = [];
    for (let index = 0; index < 55; index += 1) ids.push((await connection.openSession(config)).sessionId);
    const listed: string[] = [];
    for await (const { sessionId } of connection.listSessions({ cwd: connection.cwd }))
      listed.push(sessionId);
    expect([...listed].sort()).toEqual([...ids].sort());
    expect(runs.received('session/list').length).toBeGreaterThan(1);
    const elsewhere: string[] = [];
    for await (const { sessionId } of connection.listSessions({ cwd: '/nowhere' })) elsewhere.push(sessionId);
    expect(elsewhere).toEqual([]);
  });

  test('can be deleted', async () => {
    const connection = await runs.connect(faultyAgent('closes-sessions', { store: runs.folder.path }));
    const session = await connection.openSession(config);
    await session.prompt('/echo hi').result;
    await session.close();
    await connection.deleteSession(session.sessionId);
    const left: string[] = [];
    for await (const { sessionId } of connection.listSessions()) left.push(sessionId);
    expect(left).toEqual([]);
  });

  test('that never end in a list end with an error', async () => {
    const connection = await runs.connect(faultyAgent('session-list-endless'));
    let count = 0;
    const list = async () => {
      for await (const _session of connection.listSessions()) count += 1;
    };
    expect(await failureOf(list())).toMatchObject({ code: 'invalid-response' });
    expect(count).toBe(1_000);
  });

  test('stop being listed when the caller has enough', async () => {
    const connection = await runs.connect(faultyAgent('session-list-endless', { record: runs.record }));
    for await (const _session of connection.listSessions()) break;
    expect(runs.received('session/list')).toHaveLength(1);
  });
});

describe('modes and options', () => {
  test('that are offered can be set; the state and the event say so', async () => {
    const session = await runs.launch(faultyAgent('offers-modes'));
    const changes: unknown[] = [];
    session.on('setting', (change) => changes.push(change));
    expect(session.state.modes?.currentModeId).toBe('ask');
    await session.setMode('code');
    expect(session.state.modes?.currentModeId).toBe('code');
    expect(await session.prompt('/mode').text()).toBe('mode: code');
    expect(changes).toEqual([{ modeId: 'code' }]);
  });

  test('of the configuration as well, with the state that the agent answers', async () => {
    const session = await runs.launch(faultyAgent('model-config-option'));
    const changes: unknown[] = [];
    session.on('setting', (change) => changes.push(change));
    const option = session.state.configOptions?.[0];
    if (option?.type !== 'select') throw new Error('the agent offers no option');
    const values = option.options.flatMap((entry) => ('options' in entry ? entry.options : [entry]));
    const other = values.find(({ value }) => value !== option.currentValue)!.value;
    await session.setConfigOption(option.id, other);
    expect(session.state.configOptions?.[0]).toMatchObject({ currentValue: other });
    expect(changes).toEqual([{ configId: option.id, value: other }]);
  });

  test('that the agent changes by itself are state too', async () => {
    const session = await runs.launch(faultyAgent('offers-modes'));
    await session.prompt('/switch code').result;
    expect(session.state.modes).toMatchObject({
      currentModeId: 'code',
      availableModes: [{ id: 'ask' }, { id: 'code' }],
    });
  });

  test('that are not offered are refused before anything is sent', async () => {
    const session = await runs.launch(faultyAgent('offers-modes', { record: runs.record }));
    const error = await failureOf(session.setMode('yolo'));
    expect(error).toMatchObject({ code: 'capability-missing' });
    expect(error.message).toContain('it offers ask, code');
    expect(await failureOf(session.setConfigOption('model', 'x'))).toMatchObject({
      code: 'capability-missing',
    });
    expect(methods()).toEqual(['initialize', 'session/new']);
  });

  test('that the agent fails to change stay as they were', async () => {
    const session = await runs.launch(faultyAgent(['offers-modes', 'fails-at'], { at: 'session/set_mode' }));
    await failureOf(session.setMode('code'));
    expect(session.state.modes?.currentModeId).toBe('ask');
  });
});
