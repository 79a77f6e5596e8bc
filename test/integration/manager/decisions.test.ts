import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { acproxyAgent, faultyAgent } from '../../../fixtures/index.ts';
import type { SessionPointer } from '../../../src/session/session-store.ts';
import { managerHarness, type ManagedHost } from '../../helpers/manager-harness.ts';
import { received } from '../../helpers/received.ts';

const harness = managerHarness();
const agent = (options: object = {}) =>
  faultyAgent([], { store: harness.store, record: harness.record, ...options });

/** Prompts and waits for the answer. */
async function ask(host: ManagedHost, prompt: string, extra: object = {}, projectId = 'p1') {
  const managed = await host.manager.prompt(harness.request({ ...extra, prompt }, projectId));
  return { ...managed, text: await managed.turn.text() };
}

describe('which session serves a prompt', () => {
  it('the live one, then the stored one, then a new one', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent(), { store });
    const first = await ask(host, '记住数字 42');
    expect([first.action, first.session.resume]).toEqual(['opened', { status: 'fresh' }]);
    const second = await ask(host, 'Hello');
    expect([second.action, second.session]).toEqual(['reused', first.session]);
    await host.manager.stop('p1');
    const third = await ask(host, '我之前说的数字是多少？');
    expect([third.action, third.session.resume.status, third.session.sessionId]).toEqual([
      'opened',
      'resumed',
      first.session.sessionId,
    ]);
    expect(third.text).toContain('42');
  });

  it('newSession: a new one, and the old one stays reachable by its id', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent(), { store });
    const old = await ask(host, '记住数字 42');
    const fresh = await ask(host, '我之前说的数字是多少？', { newSession: true });
    expect(fresh.text).not.toContain('42');
    expect(fresh.session.resume).toEqual({
      status: 'fresh',
      reason: 'new-session-asked',
      previousSessionId: old.session.sessionId,
    });
    expect(store.get('p1')).toMatchObject({
      sessionId: fresh.session.sessionId,
      previousSessionIds: [old.session.sessionId],
    });
    const back = await ask(host, '我之前说的数字是多少？', { sessionId: old.session.sessionId });
    expect([back.action, back.text]).toEqual(['replaced', expect.stringContaining('42')]);
    expect(store.get('p1')).toMatchObject({
      sessionId: old.session.sessionId,
      previousSessionIds: [fresh.session.sessionId],
    });
  });

  it('two wishes for a new session at once are two sessions', async () => {
    const host = harness.manage(agent());
    const grants = await Promise.all(
      [1, 2].map(() => host.manager.getOrCreate(harness.request({ newSession: true }))),
    );
    expect(new Set(grants.map(({ session }) => session.sessionId)).size).toBe(2);
  });

  it('the id of the live session: that one', async () => {
    const host = harness.manage(agent());
    const first = await ask(host, 'Hello');
    const second = await ask(host, 'Hello', { sessionId: first.session.sessionId });
    expect([second.action, host.spawned]).toEqual(['reused', 1]);
  });

  it('the lost id once more: what stands in for it, live or stopped', async () => {
    const host = harness.manage(agent());
    const sessionId = 'never-existed';
    const first = await ask(host, '记住数字 42', { sessionId });
    expect(first.session.resume.status).toBe('fell-back');
    const second = await ask(host, 'Hello', { sessionId });
    expect(second.action).toBe('reused');
    await host.manager.stop('p1');
    const third = await ask(host, '我之前说的数字是多少？', { sessionId });
    expect(third.text).toContain('42');
    expect(third.session.resume).toMatchObject({ status: 'resumed', sessionId: first.session.sessionId });
    expect(host.told('resume-fallback')).toHaveLength(1);
  });

  it('another id while a session is live: refused in mid-turn, else the live one is stopped and kept', async () => {
    const host = harness.manage(agent());
    const one = await ask(host, '记住数字 42');
    const two = await ask(host, 'remember 7', { newSession: true });
    const running = await host.manager.prompt(harness.request({ prompt: '/slow 60000' }));
    const sessionId = one.session.sessionId;
    await expect(host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }))).rejects.toMatchObject({
      code: 'session-busy',
      retryable: true,
    });
    expect(running.turn.state).toBe('running');
    await running.turn.cancel();
    const back = await ask(host, '我之前说的数字是多少？', { sessionId });
    expect(back.text).toContain('42');
    const forth = await ask(host, '我之前说的数字是多少？', { sessionId: two.session.sessionId });
    expect(forth.text).toContain('7');
  });

  it('evenDuringTurn ends the turn', async () => {
    const host = harness.manage(agent());
    const running = await host.manager.prompt(harness.request({ prompt: '/slow 60000' }));
    const fresh = await ask(host, 'Hello', { newSession: true, evenDuringTurn: true });
    expect(fresh.action).toBe('replaced');
    await expect(running.turn.result).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a session that belongs elsewhere', () => {
  it('to another project is refused, live, stopped, or known from the store', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent(), { store });
    const { session } = await ask(host, 'Hello', {}, 'p1');
    const steal = () =>
      host.manager.prompt(harness.request({ prompt: 'Hello', sessionId: session.sessionId }, 'p2'));
    await expect(steal()).rejects.toMatchObject({
      code: 'session-conflict',
      message: expect.stringContaining('another project') as string,
    });
    await host.manager.stop('p1');
    await expect(steal()).rejects.toMatchObject({ code: 'session-conflict' });
    const next = harness.manage(agent(), { store });
    await next.manager.getOrCreate(harness.request({}, 'p1'));
    await expect(
      next.manager.getOrCreate(harness.request({ sessionId: session.sessionId }, 'p2')),
    ).rejects.toMatchObject({ code: 'session-conflict' });
    expect(received(harness.record, 'session/prompt')).toHaveLength(1);
  });

  it('to another directory of the same project is refused', async () => {
    const host = harness.manage(agent());
    const { session } = await ask(host, 'Hello');
    const moved = { ...harness.request({}, 'elsewhere'), projectId: 'p1', sessionId: session.sessionId };
    await expect(host.manager.getOrCreate(moved)).rejects.toMatchObject({ code: 'session-conflict' });
    expect(host.manager.get('p1')).toBe(session);
  });
});

describe('a changed cwd', () => {
  it('never resumes: a new session with the reason, and the old id kept', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent(), { store });
    const old = await ask(host, '记住数字 42');
    const elsewhere = harness.request({}, 'elsewhere').projectPath;
    const moved = await ask(host, '我之前说的数字是多少？', { projectPath: elsewhere });
    expect(moved.text).not.toContain('42');
    expect([moved.action, moved.session.cwd]).toEqual(['replaced', elsewhere]);
    expect(moved.session.resume).toEqual({
      status: 'fresh',
      reason: 'cwd-changed',
      previousSessionId: old.session.sessionId,
    });
    expect(store.get('p1')).toMatchObject({ cwd: elsewhere, previousSessionIds: [old.session.sessionId] });
  });

  it('also where the old session is only stored', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent(), { store });
    const old = await ask(host, 'Hello');
    await host.manager.stop('p1');
    const elsewhere = harness.request({}, 'elsewhere').projectPath;
    const { session } = await host.manager.getOrCreate(harness.request({ projectPath: elsewhere }));
    expect(session.resume).toMatchObject({ reason: 'cwd-changed', previousSessionId: old.session.sessionId });
    // Nothing was said there: the conversation is still the old one.
    const back = await ask(host, 'Hello');
    expect(back.session.resume).toMatchObject({ status: 'resumed', sessionId: old.session.sessionId });
  });

  it('B19: another spelling of the same directory is no other directory', async () => {
    const host = harness.manage(acproxyAgent({ store: harness.store, chunkDelayMs: 0 }));
    mkdirSync(harness.folder.file('p1', 'sub'), { recursive: true });
    symlinkSync(harness.folder.file('p1'), harness.folder.file('link'));
    await ask(host, '记住数字 42');
    const spellings = ['link', 'link/', 'p1/', 'p1/.', 'p1/sub/..', 'link/sub/..'];
    for (const spelling of spellings) {
      const projectPath = `${harness.folder.path}/${spelling}`;
      const { action, text } = await ask(host, '我之前说的数字是多少？', { projectPath });
      expect([spelling, action, text]).toEqual([spelling, 'reused', expect.stringContaining('42')]);
    }
    await host.manager.stop('p1');
    const resumed = await ask(host, '我之前说的数字是多少？', { projectPath: harness.folder.file('link') });
    expect([resumed.session.resume.status, resumed.text]).toEqual(['resumed', expect.stringContaining('42')]);
  });
});

describe('a changed configuration', () => {
  const withEnv = (value: string) => ({ agentServer: { ...agent(), env: { VALUE: value } } });

  it.each<[string, () => object]>([
    ['environment', () => withEnv('b')],
    ['command line', () => ({ agentServer: { ...agent({ chunkSize: 7 }), env: { VALUE: 'a' } } })],
    ['MCP set', () => ({ ...withEnv('a'), mcpServers: { files: { command: 'true' } } })],
  ])('of the %s replaces the agent and resumes the conversation', async (_what, change) => {
    const host = harness.manage(agent());
    const before = await ask(host, '记住数字 42', withEnv('a'));
    const after = await ask(host, '我之前说的数字是多少？', change());
    expect([after.action, after.text]).toEqual(['replaced', expect.stringContaining('42')]);
    expect(after.session.resume).toMatchObject({ status: 'resumed', sessionId: before.session.sessionId });
    // One after the other.
    expect(host.order().filter((name) => name === 'agent-exit' || name === 'session-open')).toEqual([
      'session-open',
      'agent-exit',
      'session-open',
    ]);
    expect((await ask(host, 'Hello', change())).action).toBe('reused');
  });

  it('is refused in mid-turn', async () => {
    const host = harness.manage(agent());
    const running = await host.manager.prompt(harness.request({ prompt: '/slow 60000', ...withEnv('a') }));
    await expect(host.manager.getOrCreate(harness.request(withEnv('b')))).rejects.toMatchObject({
      code: 'session-busy',
    });
    expect(running.turn.state).toBe('running');
  });

  it('of a session in which nothing was said opens a new one, which says so', async () => {
    const host = harness.manage(agent());
    const first = await host.manager.getOrCreate(harness.request(withEnv('a')));
    const second = await host.manager.getOrCreate(harness.request(withEnv('b')));
    expect(second.session.resume).toEqual({
      status: 'fresh',
      reason: 'never-prompted',
      previousSessionId: first.session.sessionId,
    });
  });

  it('of the system prompt restarts nothing, and is used at the next opening', async () => {
    const host = harness.manage(agent());
    await ask(host, 'Hello', { systemPrompt: 'one' });
    const second = await ask(host, '/meta', { systemPrompt: 'two' });
    expect([second.action, second.text]).toEqual(['reused', '{"systemPrompt":{"append":"one"}}']);
    await host.manager.stop('p1');
    const third = await ask(host, '/meta', { systemPrompt: 'two' });
    expect(JSON.parse(third.text)).toMatchObject({ systemPrompt: { append: 'two' } });
  });

  it('of the agent itself does not resume: the old id is kept, and found again', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(agent(), { store });
    const old = await ask(host, '记住数字 42');
    const agentServer = { ...acproxyAgent({ chunkDelayMs: 0 }), agentId: 'another' };
    const other = await ask(host, '我之前说的数字是多少？', { agentServer });
    expect(other.text).not.toContain('42');
    expect(other.session.resume).toEqual({
      status: 'fresh',
      reason: 'agent-changed',
      previousSessionId: old.session.sessionId,
    });
    expect(store.get('p1')).toMatchObject({
      agentId: 'another',
      previousSessionIds: [old.session.sessionId],
    });
    const back = await ask(host, '我之前说的数字是多少？', { sessionId: old.session.sessionId });
    expect(back.text).toContain('42');
  });
});

describe('bad requests', () => {
  it.each<[string, object, string]>([
    ['no project', { projectId: '' }, 'invalid-config'],
    ['a project that is no text', { projectId: 7 }, 'invalid-config'],
    ['a missing directory', { projectPath: '/no/such/directory' }, 'cwd-missing'],
    ['a malformed MCP server', { mcpServers: [{ name: 'x' }] }, 'invalid-config'],
    ['a resume behind our back', { startConfig: { claudeCodeOptions: { resume: 'x' } } }, 'invalid-config'],
    ['a missing command', { agentServer: { command: 'no-such-agent' } }, 'command-missing'],
  ])('%s: a typed error, and nothing is left', async (_what, change, code) => {
    const host = harness.manage(agent());
    await expect(host.manager.getOrCreate({ ...harness.request({}), ...change })).rejects.toMatchObject({
      code,
    });
    expect(host.manager.list()).toEqual([]);
    const { turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    expect(await turn.text()).toContain('Hello');
  });
});
