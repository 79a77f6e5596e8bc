import { beforeEach, describe, expect, it } from 'vitest';
import { faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { received, textOf } from '../../helpers/received.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const harness = managerHarness();
const sessionId = '11111111-2222-4333-8444-555555555555';
const prompts = () =>
  received(harness.record, 'session/prompt').map((message) => [message.params['sessionId'], textOf(message)]);
const agent = (fault: FaultName | readonly FaultName[], options: Parameters<typeof faultyAgent>[1] = {}) =>
  faultyAgent(fault, { record: harness.record, store: harness.store, ...options });

describe('B15: an agent that accepts the resume and rejects the first prompt', () => {
  const rejecting = (options = {}) => agent('resume-ok-then-prompt-unknown-session', options);

  it('gets it once more, in a fresh session on the same process, and the fallback is told before', async () => {
    const host = harness.manage(rejecting());
    let promptsAtFallback = 0;
    host.manager.on('resume-fallback', () => {
      promptsAtFallback = prompts().length;
    });
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }));
    expect(await turn.text()).toContain('Hello');
    expect(turn.sessionId).toBe(session.sessionId);
    expect(session.resume).toMatchObject({
      status: 'fell-back',
      requestedSessionId: sessionId,
      kind: 'missing',
      evidence: { source: 'first-prompt' },
    });
    expect(prompts()).toEqual([
      [sessionId, 'Hello'],
      [session.sessionId, 'Hello'],
    ]);
    expect(promptsAtFallback).toBe(1);
    expect(host.spawned).toBe(1);
    expect(host.order()).toEqual([
      'session-open',
      'turn-start',
      'turn-end',
      'session-close',
      'session-open',
      'resume-fallback',
      'turn-start',
      'turn-end',
    ]);
  });

  it('keeps the new session, and stands in for the lost one', async () => {
    const store = new Map();
    const host = harness.manage(rejecting(), { store });
    const first = await host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }));
    await first.turn.result;
    expect(store.get('p1')).toMatchObject({
      sessionId: first.session.sessionId,
      previousSessionIds: [sessionId],
    });
    const second = await host.manager.prompt(harness.request({ prompt: 'Again', sessionId }));
    expect(second).toMatchObject({ action: 'reused', session: { sessionId: first.session.sessionId } });
    await second.turn.result;
    expect(prompts()).toHaveLength(3);
  });

  it('serves the prompts that wait behind it as well, each once', async () => {
    const host = harness.manage(rejecting());
    const turns = await Promise.all(
      ['one', 'two', 'three'].map((prompt) => host.manager.prompt(harness.request({ prompt, sessionId }))),
    );
    for (const { turn } of turns) await turn.result;
    const fresh = turns[0]!.session.sessionId;
    expect(prompts()).toEqual([
      [sessionId, 'one'],
      [fresh, 'one'],
      [fresh, 'two'],
      [fresh, 'three'],
    ]);
    expect(host.spawned).toBe(1);
  });

  it('is an error of the fresh attempt where that fails, and nothing is left running', async () => {
    const store = new Map();
    const failing = agent(['resume-ok-then-prompt-unknown-session', 'fails-at'], {
      after: 1,
      text: 'out of order',
    });
    const host = harness.manage(failing, { store });
    await expect(host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }))).rejects.toMatchObject({
      code: 'request-failed',
      message: expect.stringContaining('out of order') as string,
      resumeError: { code: 'resume-failed', kind: 'missing', evidence: { source: 'first-prompt' } },
    });
    expect(host.manager.list()).toEqual([]);
    expect(store.size).toBe(0);
    expect(prompts()).toEqual([[sessionId, 'Hello']]);
    await host.until('agent-exit');
  });

  it('also where the agent dies of it, with a last word on stderr: on a new process then', async () => {
    const host = harness.manage(rejecting({ shape: 'exit' }));
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }));
    expect(await turn.text()).toContain('Hello');
    expect(session.resume).toMatchObject({
      status: 'fell-back',
      evidence: { source: 'first-prompt', text: expect.stringContaining('No conversation found') as string },
    });
    expect(prompts()).toHaveLength(2);
    expect(host.spawned).toBe(2);
  });

  it('also where updates came that say nothing of the prompt', async () => {
    const chatty = agent(['resume-ok-then-prompt-unknown-session', 'announces-commands-in-turn']);
    const host = harness.manage(chatty);
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }));
    await turn.result;
    expect(session.resume).toMatchObject({ status: 'fell-back', evidence: { source: 'first-prompt' } });
    expect(prompts()).toHaveLength(2);
  });

  it('a caller that prompts the session itself hears of it, and the next request falls back', async () => {
    const store = new Map();
    const host = harness.manage(rejecting(), { store });
    const { session } = await host.manager.getOrCreate(harness.request({ sessionId }));
    await expect(session.prompt('mine').result).rejects.toMatchObject({ code: 'request-failed' });
    await waitUntil('the session to be given up', () => host.manager.get('p1') === undefined);
    expect(store.size).toBe(0);
    const { session: fresh, turn } = await host.manager.prompt(
      harness.request({ prompt: 'Hello', sessionId }),
    );
    expect(await turn.text()).toContain('Hello');
    expect(fresh.resume.status).toBe('fell-back');
  });
});

describe('a prompt is sent once more in no other case', () => {
  let known = '';
  beforeEach(async () => {
    const host = harness.manage(faultyAgent([], { store: harness.store }));
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: '记住数字 42' }));
    await turn.result;
    await host.manager.stop('p1');
    known = session.sessionId;
  });

  it.each<[string, FaultName, object, object]>([
    [
      'another error',
      'fails-at',
      { at: 'session/prompt', details: 'model overloaded' },
      { code: 'request-failed' },
    ],
    [
      'X02: an ordinary -32000',
      'fails-at',
      { at: 'session/prompt', code: -32000, text: 'busy' },
      { code: 'request-failed' },
    ],
    [
      'a missing resource',
      'fails-at',
      { at: 'session/prompt', code: -32002, text: 'Resource not found' },
      { code: 'request-failed' },
    ],
    ['the death of the agent', 'dies-at', {}, { code: 'agent-exited' }],
    ['a death in mid-turn', 'dies-mid-turn', {}, { code: 'agent-exited' }],
  ])('after %s', async (_what, fault, options, error) => {
    const host = harness.manage(agent(fault, { ...options, times: 1 }));
    const { session, turn } = await host.manager.prompt(
      harness.request({ prompt: 'Hello', sessionId: known }),
    );
    await expect(turn.result).rejects.toMatchObject(error);
    expect(session.resume.status).toBe('resumed');
    expect(prompts()).toEqual([[known, 'Hello']]);
    expect(host.told('resume-fallback')).toEqual([]);
    // The conversation is there all the same.
    const next = await host.manager.prompt(harness.request({ prompt: '我之前说的数字是多少？' }));
    expect(await next.turn.text()).toContain('42');
  });

  it('not even for an unknown session, when it was not the first prompt', async () => {
    const forgetful = agent('fails-at', {
      at: 'session/prompt',
      after: 1,
      times: 1,
      details: `Session ${known} not found`,
    });
    const host = harness.manage(forgetful);
    const first = await host.manager.prompt(harness.request({ prompt: 'one', sessionId: known }));
    await first.turn.result;
    const second = await host.manager.prompt(harness.request({ prompt: 'two' }));
    await expect(second.turn.result).rejects.toMatchObject({ code: 'request-failed' });
    expect(prompts()).toHaveLength(2);
    // It is resumed for the next one, which tells whether it is really gone.
    const third = await host.manager.prompt(harness.request({ prompt: '我之前说的数字是多少？' }));
    expect(await third.turn.text()).toContain('42');
    expect(third).toMatchObject({ action: 'opened', session: { resume: { status: 'resumed' } } });
  });
});

describe('B14: an agent that accepts the resume and does nothing', () => {
  it.each(['end_turn', 'refusal'])('%s: is reported as suspect, and nothing is sent again', async (text) => {
    const host = harness.manage(agent('resume-ok-does-nothing', { text }));
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }));
    expect(await turn.result).toMatchObject({ stopReason: text });
    expect(await host.until('resume-suspect')).toMatchObject({ projectId: 'p1', session, turn });
    expect(session.resume.status).toBe('resumed');
    expect(prompts()).toEqual([[sessionId, 'Hello']]);
    // The caller may begin anew.
    const fresh = await host.manager.prompt(harness.request({ prompt: 'Hello', newSession: true }));
    expect(await fresh.turn.text()).toContain('Hello');
    expect(fresh.session.resume).toMatchObject({ reason: 'new-session-asked', previousSessionId: sessionId });
    expect(host.told('resume-suspect')).toHaveLength(1);
  });

  it('is not suspected of a turn that was cancelled, nor of a session that is new', async () => {
    const host = harness.manage(agent('resume-ok-does-nothing', { text: 'cancelled' }));
    const { turn } = await host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }));
    await turn.result;
    const empty = harness.manage(faultyAgent('empty-turn'));
    const other = await empty.manager.prompt(harness.request({ prompt: 'Hello' }, 'p2'));
    await other.turn.result;
    await Promise.all([host.manager.stop('p1'), empty.manager.stop('p2')]);
    expect([...host.told('resume-suspect'), ...empty.told('resume-suspect')]).toEqual([]);
  });
});
