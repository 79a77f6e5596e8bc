import { describe, expect, it } from 'vitest';
import { acproxyAgent, expireSession, faultyAgent } from '../../../fixtures/index.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { received, resumeOf } from '../../helpers/received.ts';

const harness = managerHarness();
const agents = {
  acproxy: () => acproxyAgent({ store: harness.store, record: harness.record, chunkDelayMs: 0 }),
  'the faulty agent, behaving': () => faultyAgent([], { store: harness.store, record: harness.record }),
};

describe.each(Object.entries(agents))("the seed's three scenarios on %s", (_name, agent) => {
  it('a session that never existed: falls back, and says so before the prompt is sent', async () => {
    const { manager, events } = harness.manage(agent());
    let promptsAtFallback: number | undefined;
    manager.on('resume-fallback', () => {
      promptsAtFallback = received(harness.record, 'session/prompt').length;
    });
    const sessionId = 'non-existent-session-id';
    const { session, turn } = await manager.prompt(harness.request({ prompt: 'Hello', sessionId }));
    expect(await turn.text()).toContain('received: Hello');
    expect(session.resume).toMatchObject({
      status: 'fell-back',
      requestedSessionId: sessionId,
      sessionId: session.sessionId,
      kind: 'missing',
      attempts: 1,
      evidence: { text: expect.stringContaining('No conversation found') as string },
      error: { code: 'resume-failed', kind: 'missing' },
    });
    expect(session.sessionId).not.toBe(sessionId);
    expect(promptsAtFallback).toBe(0);
    expect(events.map(({ name }) => name).slice(0, 4)).toEqual([
      'resume-retry',
      'session-open',
      'resume-fallback',
      'turn-start',
    ]);
    // The same process served both attempts.
    expect(received(harness.record, 'initialize')).toHaveLength(1);
    expect(received(harness.record, 'session/new').map(resumeOf)).toEqual([sessionId, undefined]);
  });

  it('a session that has expired: as above', async () => {
    const host = harness.manage(agent());
    const first = await host.manager.prompt(harness.request({ prompt: '记住数字 42' }));
    await first.turn.result;
    await host.manager.stop('p1');
    expireSession(harness.store, first.session.sessionId);
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: '继续之前的对话' }));
    await turn.result;
    expect(session.resume).toMatchObject({
      status: 'fell-back',
      requestedSessionId: first.session.sessionId,
      kind: 'missing',
    });
    expect(host.told('resume-fallback')).toHaveLength(1);
  });

  it('a session that is there: 42', async () => {
    const { manager } = harness.manage(agent());
    const first = await manager.prompt(harness.request({ prompt: '记住数字 42' }));
    await first.turn.result;
    await manager.stop('p1');
    const { session, turn } = await manager.prompt(
      harness.request({ prompt: '我之前说的数字是多少？', sessionId: first.session.sessionId }),
    );
    expect(await turn.text()).toContain('42');
    expect(session.resume).toEqual({
      status: 'resumed',
      sessionId: first.session.sessionId,
      method: 'session/new',
      attempts: 1,
    });
  });
});
