import { beforeEach, describe, expect, it } from 'vitest';
import { acproxyAgent, faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { received, resumeOf } from '../../helpers/received.ts';

const harness = managerHarness();
const resumePolicy = { strategy: 'native' } as const;
const unknown = '11111111-2222-4333-8444-555555555555';
let sessionId = '';

beforeEach(async () => {
  const host = harness.manage(faultyAgent([], { store: harness.store }));
  const { session, turn } = await host.manager.prompt(harness.request({ prompt: '记住数字 42' }));
  await turn.result;
  await host.manager.stop('p1');
  sessionId = session.sessionId;
});

const agent = (fault: FaultName | readonly FaultName[], options: Parameters<typeof faultyAgent>[1] = {}) =>
  faultyAgent(fault, { store: harness.store, record: harness.record, ...options });

/** The requests that open a session, and what they resume. */
const openings = () =>
  received(harness.record)
    .filter(({ method }) => ['session/new', 'session/load', 'session/resume'].includes(method))
    .map((message) => [message.method, message.params['sessionId'] ?? resumeOf(message)]);

const askForNumber = () => harness.request({ prompt: '我之前说的数字是多少？', sessionId });

describe("strategy 'native'", () => {
  it('uses session/resume where it is advertised', async () => {
    const host = harness.manage(agent('load-replays-history'), { resumePolicy });
    const { session, turn } = await host.manager.prompt(askForNumber());
    expect(await turn.text()).toContain('42');
    expect(session.resume).toMatchObject({ status: 'resumed', method: 'session/resume', attempts: 1 });
    expect(openings()).toEqual([['session/resume', sessionId]]);
  });

  it('sends the session to acproxy by its own method too', async () => {
    const proxy = () =>
      acproxyAgent({ store: harness.folder.file('proxy'), record: harness.record, chunkDelayMs: 0 });
    const host = harness.manage(proxy(), { resumePolicy });
    const first = await host.manager.prompt(harness.request({ prompt: '记住数字 42' }, 'p2'));
    await first.turn.result;
    await host.manager.stop('p2');
    const second = await host.manager.prompt(harness.request({ prompt: '我之前说的数字是多少？' }, 'p2'));
    expect(await second.turn.text()).toContain('42');
    expect(second.session.resume).toMatchObject({ method: 'session/resume' });
  });

  it('B22: marks what session/load replays, and keeps it out of turns', async () => {
    const host = harness.manage(agent(['load-replays-history', 'no-session-resume']), { resumePolicy });
    const phases: string[] = [];
    const client = {
      sessionUpdate: (_update: unknown, { phase }: { phase: string }) => void phases.push(phase),
    };
    const { session, turn } = await host.manager.prompt({ ...askForNumber(), client });
    const text = await turn.text();
    expect(text).toContain('42');
    expect(text).not.toContain('记住');
    expect(session.resume).toMatchObject({ status: 'resumed', method: 'session/load' });
    expect(new Set(phases)).toEqual(new Set(['replay', 'turn']));
    expect(turn.summary.updates).toBe(phases.filter((phase) => phase === 'turn').length);
  });

  it.each<[string, FaultName[], object]>([
    ['session/resume', ['resume-replays-history'], resumePolicy],
    ['session/new with the hint', ['meta-resume-replays'], {}],
    ['session/load, behind its response', ['load-replays-after-response', 'no-session-resume'], resumePolicy],
  ])('B22: what %s replays is no turn', async (_how, faults, policy) => {
    const host = harness.manage(agent(faults), { resumePolicy: policy });
    const { session, turn } = await host.manager.prompt(askForNumber());
    expect(await turn.text()).toBe('你之前说的数字是 42。');
    expect(session.resume.status).toBe('resumed');
    // Nor is it the sign that the conversation goes on.
    expect(turn.summary.updates).toBe(1);
  });

  it('takes a null result', async () => {
    const host = harness.manage(agent('load-accepts-anything'), { resumePolicy });
    const { session, turn } = await host.manager.prompt(askForNumber());
    expect(await turn.text()).toContain('42');
    expect(session.resume).toMatchObject({ status: 'resumed', method: 'session/resume' });
  });

  it('B14: reports a first turn that ends with nothing', async () => {
    const host = harness.manage(agent('load-accepts-anything'), { resumePolicy });
    const { turn } = await host.manager.prompt(harness.request({ prompt: 'Hello', sessionId: unknown }));
    expect(await turn.result).toMatchObject({ stopReason: 'refusal' });
    await host.until('resume-suspect');
  });

  it('tries its other method where one fails again and again, and nothing says that the session is missing', async () => {
    const failing = { at: 'session/resume', details: 'Query closed before response received' };
    const host = harness.manage(agent(['load-replays-history', 'fails-at'], failing), { resumePolicy });
    const { session, turn } = await host.manager.prompt(askForNumber());
    expect(await turn.text()).toContain('42');
    expect(session.resume).toMatchObject({
      status: 'resumed',
      method: 'session/load',
      attempts: 3,
      error: { kind: 'unproven' },
    });
    expect(openings().map(([method]) => method)).toEqual([
      'session/resume',
      'session/resume',
      'session/load',
    ]);
  });

  it('falls back from an unknown session on the same process', async () => {
    const host = harness.manage(agent('load-replays-history'), { resumePolicy });
    const { session } = await host.manager.getOrCreate(harness.request({ sessionId: unknown }));
    expect(session.resume).toMatchObject({ status: 'fell-back', kind: 'missing' });
    expect(openings()).toEqual([
      ['session/resume', unknown],
      ['session/new', undefined],
    ]);
    expect(host.spawned).toBe(1);
  });

  it('never uses a method that is not advertised', async () => {
    const host = harness.manage(agent([]), { resumePolicy });
    const { session, turn } = await host.manager.prompt(askForNumber());
    expect(await turn.text()).toContain('42');
    expect(session.resume).toMatchObject({ status: 'resumed', method: 'session/new' });
    expect(openings()).toEqual([['session/new', sessionId]]);
  });
});

describe('B12: an agent that advertises its methods and refuses them', () => {
  it.each(['invalid-params', 'method-not-found'] as const)(
    '%s: the next one is tried, then meta',
    async (shape) => {
      const host = harness.manage(agent('load-refused', { shape }), { resumePolicy });
      const { session, turn } = await host.manager.prompt(askForNumber());
      expect(await turn.text()).toContain('42');
      expect(session.resume).toMatchObject({
        status: 'resumed',
        method: 'session/new',
        attempts: 3,
        error: { kind: 'unsupported' },
      });
      expect(openings().map(([method]) => method)).toEqual(['session/resume', 'session/load', 'session/new']);
      expect(host.spawned).toBe(1);
    },
  );

  it('and ignores the meta: a fallback, with the refusal as its reason', async () => {
    const host = harness.manage(agent(['ignores-resume', 'load-refused']), { resumePolicy });
    const { session } = await host.manager.getOrCreate(askForNumber());
    expect(session.resume).toMatchObject({
      status: 'fell-back',
      requestedSessionId: sessionId,
      sessionId: session.sessionId,
      kind: 'unsupported',
      evidence: { rpcCode: -32602 },
      attempts: 3,
    });
  });

  it('X03: refuses the MCP servers at one method and takes them at the other', async () => {
    const picky = agent(['load-replays-history', 'fails-at'], {
      at: 'session/resume',
      code: -32602,
      text: 'mcpServers must be empty',
    });
    const host = harness.manage(picky, { resumePolicy });
    const { session, turn } = await host.manager.prompt({
      ...askForNumber(),
      mcpServers: { a: { command: 'true' } },
    });
    expect(await turn.text()).toContain('42');
    expect(session.resume).toMatchObject({ status: 'resumed', method: 'session/load' });
  });
});

describe('B16: an agent that ignores the hint in _meta', () => {
  it('names the method by which it does resume, where it offers one', async () => {
    const host = harness.manage(agent(['load-replays-history', 'ignores-resume']));
    const { session } = await host.manager.getOrCreate(askForNumber());
    expect(session.resume).toMatchObject({
      status: 'ignored',
      requestedSessionId: sessionId,
      sessionId: session.sessionId,
      nativeMethod: 'session/resume',
    });
    expect(host.told('resume-fallback')).toMatchObject([{ resume: { status: 'ignored' } }]);
    const native = harness.manage(agent(['load-replays-history', 'ignores-resume']), { resumePolicy });
    const { turn } = await native.manager.prompt(
      harness.request({ prompt: '我之前说的数字是多少？', sessionId }),
    );
    expect(await turn.text()).toContain('42');
  });

  it('names none where it offers none, and the old id is kept', async () => {
    const store = new Map();
    const host = harness.manage(agent('ignores-resume'), { store });
    const { session, turn } = await host.manager.prompt(askForNumber());
    await turn.result;
    expect(session.resume).toEqual({
      status: 'ignored',
      requestedSessionId: sessionId,
      sessionId: session.sessionId,
      evidence: expect.objectContaining({ source: 'response' }) as object,
    });
    expect(store.get('p1')).toMatchObject({ sessionId: session.sessionId, previousSessionIds: [sessionId] });
  });

  it('a preset that knows it uses the native methods by itself, unless the policy says otherwise', async () => {
    // The name of a preset, with a command of our own, as a fork of that agent would be.
    const agentServer = { ...agent(['load-replays-history', 'ignores-resume']), agentId: 'codex' };
    const host = harness.manage(faultyAgent([]));
    const { session } = await host.manager.getOrCreate({ ...askForNumber(), agentServer });
    expect(session.resume).toMatchObject({ status: 'resumed', method: 'session/resume' });
    const meta = harness.manage(faultyAgent([]), { resumePolicy: { strategy: 'meta' } });
    const other = await meta.manager.getOrCreate({ ...askForNumber(), agentServer });
    expect(other.session.resume).toMatchObject({ status: 'ignored', nativeMethod: 'session/resume' });
  });
});
