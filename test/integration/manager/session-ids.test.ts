import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import type { SessionPointer } from '../../../src/session/session-store.ts';
import { managerHarness, type ManagedHost } from '../../helpers/manager-harness.ts';

const harness = managerHarness();

/** Numbers its sessions in each process, and answers with the directory in which it was started. */
const numberingAgent = `
import { createInterface } from 'node:readline';
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') say({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === 'session/new') {
    count += 1;
    say({ id, result: { sessionId: params._meta?.claudeCode?.options?.resume ?? 'session-' + count } });
  }
  if (method === 'session/prompt') {
    const content = { type: 'text', text: process.cwd() };
    const update = { sessionUpdate: 'agent_message_chunk', content };
    say({ method: 'session/update', params: { sessionId: params.sessionId, update } });
    say({ id, result: { stopReason: 'end_turn' } });
  }
}
`;

function numbering() {
  const file = harness.folder.file('numbering-agent.mjs');
  writeFileSync(file, numberingAgent);
  return { command: process.execPath, args: [file], env: {} };
}

async function ask(host: ManagedHost, projectId: string, extra: object = {}) {
  const managed = await host.manager.prompt(harness.request({ prompt: 'Hello', ...extra }, projectId));
  return { ...managed, text: await managed.turn.text() };
}

describe('an id that several projects use, since agents number their sessions', () => {
  const sessionId = 'session-1';

  it('means the session of the project that asks for it, live, stopped, and after a restart', async () => {
    const store = new Map<string, SessionPointer>();
    const host = harness.manage(numbering(), { store });
    for (const id of ['p1', 'p2']) expect((await ask(host, id)).session.sessionId).toBe(sessionId);
    for (const id of ['p1', 'p2']) {
      const { action, text } = await ask(host, id, { sessionId });
      expect([action, text]).toEqual(['reused', harness.folder.file(id)]);
      await host.manager.stop(id);
      expect((await ask(host, id, { sessionId })).session.resume).toMatchObject({
        status: 'resumed',
        sessionId,
      });
    }
    await host.manager.shutdown();
    const next = harness.manage(numbering(), { store });
    for (const id of ['p1', 'p2']) {
      const { session, text } = await ask(next, id, { sessionId });
      expect([session.resume.status, text]).toEqual(['resumed', harness.folder.file(id)]);
    }
    expect(store.get('p1')?.cwd).toBe(harness.folder.file('p1'));
  });

  it('is still refused to a project that has no such session', async () => {
    const host = harness.manage(numbering());
    await ask(host, 'p1');
    await ask(host, 'p2');
    await expect(ask(host, 'p3', { sessionId })).rejects.toMatchObject({ code: 'session-conflict' });
    await host.manager.forget('p1');
    await expect(ask(host, 'p3', { sessionId })).rejects.toMatchObject({ code: 'session-conflict' });
    await host.manager.forget('p2');
    expect((await ask(host, 'p3', { sessionId })).session.sessionId).toBe(sessionId);
  });

  it('is an error where the store can not tell whose it is', async () => {
    const store = new Map<string, SessionPointer>();
    const get = (key: string) => {
      if (key === 'p2') throw new Error('down');
      return store.get(key);
    };
    const host = harness.manage(numbering(), {
      store: { get, set: (key, value) => store.set(key, value), delete: (key) => store.delete(key) },
    });
    await ask(host, 'p1');
    await expect(ask(host, 'p2', { sessionId })).rejects.toMatchObject({ code: 'store-failed' });
  });
});

describe('an earlier session of the project, asked for after a restart', () => {
  it('goes on in the directory in which it was, which the store does not name', async () => {
    const store = new Map<string, SessionPointer>();
    const agent = faultyAgent([], { store: harness.store });
    const other = harness.folder.file('other');
    mkdirSync(other);
    const host = harness.manage(agent, { store });
    const first = await ask(host, 'p1', { prompt: '记住数字 42' });
    const moved = await ask(host, 'p1', { projectPath: other });
    expect(moved.session.resume).toMatchObject({ status: 'fresh', reason: 'cwd-changed' });
    await host.manager.shutdown();
    const next = harness.manage(agent, { store });
    await ask(next, 'p1', { projectPath: other });
    const back = await ask(next, 'p1', {
      sessionId: first.session.sessionId,
      prompt: '我之前说的数字是多少？',
    });
    expect(back.session.resume.status).toBe('resumed');
    expect(back.text).toContain('42');
    // The conversation in the other directory is kept as well.
    expect(store.get('p1')?.previousSessionIds).toContain(moved.session.sessionId);
  });
});
