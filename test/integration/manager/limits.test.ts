import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import { managerHarness, type ManagedHost } from '../../helpers/manager-harness.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const harness = managerHarness();
const agent = (fault: FaultName | readonly FaultName[] = [], options: object = {}) =>
  faultyAgent(fault, { store: harness.store, record: harness.record, ...options });
const say = async (host: ManagedHost, prompt: string, projectId = 'p1') => {
  const managed = await host.manager.prompt(harness.request({ prompt }, projectId));
  return { ...managed, text: await managed.turn.text() };
};

describe('B60: idle agents', () => {
  it('are stopped, and the conversation goes on with the next prompt', async () => {
    const host = harness.manage(agent(), { idleTimeoutMs: 200 });
    const { session } = await say(host, '记住数字 42');
    expect(await host.until('agent-exit')).toMatchObject({ expected: true });
    await waitUntil('the project to be stopped', () => host.manager.snapshot()[0]?.state === 'stopped');
    expect(host.manager.list()).toEqual([]);
    const next = await say(host, '我之前说的数字是多少？');
    expect([next.text, next.session.sessionId]).toEqual([expect.stringContaining('42'), session.sessionId]);
  });

  it('are stopped also where nothing was ever said', async () => {
    const host = harness.manage(agent(), { idleTimeoutMs: 200 });
    await host.manager.getOrCreate(harness.request());
    await host.until('agent-exit');
  });

  it('are never stopped in a turn, nor while prompts wait', async () => {
    const host = harness.manage(agent(), { idleTimeoutMs: 100 });
    const turns = await Promise.all(['/slow 400', '/slow 400'].map((prompt) => say(host, prompt)));
    expect(turns.map(({ text }) => text)).toEqual(['started', 'started']);
    expect(host.spawned).toBe(1);
    await host.until('agent-exit');
  });

  it('are not stopped while they start, however long that takes', async () => {
    const host = harness.manage(agent('slow-start', { delayMs: 400 }), { idleTimeoutMs: 100 });
    const { text } = await say(host, 'Hello');
    expect(text).toContain('Hello');
    expect(host.spawned).toBe(1);
  });

  it('are not stopped by a timer that was forgotten', async () => {
    const host = harness.manage(agent(), { idleTimeoutMs: 1_500 });
    for (let index = 0; index < 4; index += 1) {
      await say(host, 'Hello');
      await delay(500);
    }
    expect(host.spawned).toBe(1);
  });

  it('are stopped also where a turn never ends, once that has been silent for too long', async () => {
    const launch = { promptIdleTimeoutMs: 200, cancelTimeoutMs: 200 };
    const host = harness.manage(agent('hangs-at', { at: 'session/prompt' }), { idleTimeoutMs: 200, launch });
    const { turn } = await host.manager.prompt(harness.request({ prompt: 'Hello' }));
    await expect(turn.result).rejects.toMatchObject({ code: 'timeout' });
    await host.until('agent-exit');
  });

  it('live for ever with 0', async () => {
    const host = harness.manage(agent(), { idleTimeoutMs: 0 });
    await say(host, 'Hello');
    await delay(100);
    expect(host.manager.list()).toEqual(['p1']);
  });
});

describe('maxAgents', () => {
  it('stops the one that has been idle for the longest time, and resumes it when it is its turn', async () => {
    const host = harness.manage(agent(), { maxAgents: 2 });
    await say(host, '记住数字 42', 'a');
    await say(host, 'Hello', 'b');
    await say(host, 'Hello', 'c');
    expect(host.manager.list()).toEqual(['b', 'c']);
    expect(host.told('agent-exit')).toMatchObject([{ projectId: 'a', expected: true }]);
    const { text } = await say(host, '我之前说的数字是多少？', 'a');
    expect(text).toContain('42');
    expect(host.manager.list().toSorted()).toEqual(['a', 'c']);
  });

  it('is an error where none is idle, and ends no turn', async () => {
    const host = harness.manage(agent(), { maxAgents: 2 });
    const running = await Promise.all(
      ['a', 'b'].map((id) => host.manager.prompt(harness.request({ prompt: '/slow 60000' }, id))),
    );
    await expect(say(host, 'Hello', 'c')).rejects.toMatchObject({ code: 'too-many-agents', retryable: true });
    expect(running.map(({ turn }) => turn.state)).toEqual(['running', 'running']);
    expect(host.spawned).toBe(2);
    await running[0]!.turn.cancel();
    await say(host, 'Hello', 'c');
    expect(host.manager.list().toSorted()).toEqual(['b', 'c']);
  });

  it('takes no agent from under a prompt that is about to be sent', async () => {
    const host = harness.manage(agent(), { maxAgents: 1 });
    await say(host, 'Hello', 'a');
    const file = harness.folder.file('note.md');
    writeFileSync(file, '# Note');
    // Reading them takes longer than the other request needs to look for a seat.
    const attachments = Array.from({ length: 500 }, () => ({ path: file, as: 'link' as const }));
    const [mine, theirs] = await Promise.allSettled([
      host.manager.prompt(harness.request({ prompt: 'See', attachments }, 'a')),
      host.manager.getOrCreate(harness.request({}, 'b')),
    ]);
    expect(mine).toMatchObject({ value: { action: 'reused' } });
    expect(theirs).toMatchObject({ reason: { code: 'too-many-agents' } });
    expect(host.spawned).toBe(1);
  });

  it('counts those that are starting', async () => {
    const host = harness.manage(agent('slow-start', { delayMs: 200 }), { maxAgents: 2 });
    let alive = 0;
    let most = 0;
    host.launcher.on('stage', (stage) => {
      if (stage === 'spawn') most = Math.max(most, (alive += 1));
    });
    host.manager.on('agent-exit', () => void (alive -= 1));
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c', 'd', 'e'].map((id) => host.manager.getOrCreate(harness.request({}, id))),
    );
    const failed = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    );
    expect(failed).toHaveLength(3);
    for (const error of failed) expect(error).toMatchObject({ code: 'too-many-agents' });
    expect(most).toBe(2);
  });

  it('never lives above it, whoever comes together', async () => {
    const host = harness.manage(agent(), { maxAgents: 3, maxStartingAgents: 8 });
    let alive = 0;
    let most = 0;
    host.launcher.on('stage', (stage) => {
      if (stage === 'spawn') most = Math.max(most, (alive += 1));
    });
    host.manager.on('agent-exit', () => void (alive -= 1));
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => say(host, 'Hello', id).catch(() => undefined)),
      );
    }
    expect(most).toBe(3);
    expect(host.manager.list().length).toBeLessThanOrEqual(3);
  });

  it('counts no agent that has died', async () => {
    const host = harness.manage(agent(), { maxAgents: 1 });
    await host.manager.prompt(harness.request({ prompt: '/crash' }, 'a'));
    await host.until('session-close');
    expect((await say(host, 'Hello', 'b')).text).toContain('Hello');
  });

  it('counts no agent whose launch failed', async () => {
    const host = harness.manage(agent('dies-in-session-new', { times: 1 }), { maxAgents: 1 });
    await expect(say(host, 'Hello', 'a')).rejects.toMatchObject({ code: 'agent-exited' });
    expect((await say(host, 'Hello', 'b')).text).toContain('Hello');
  });

  it('lets a project keep its seat when its agent is replaced', async () => {
    const host = harness.manage(agent(), { maxAgents: 1 });
    await say(host, 'Hello', 'a');
    const agentServer = { ...agent(), env: { CHANGED: '1' } };
    const { action } = await host.manager.getOrCreate(harness.request({ agentServer }, 'a'));
    expect(action).toBe('replaced');
  });
});
