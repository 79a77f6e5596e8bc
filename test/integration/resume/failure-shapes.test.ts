import { describe, expect, it, test } from 'vitest';
import { faultyAgent, type ResumeFailureShape } from '../../../fixtures/index.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { received, resumeOf } from '../../helpers/received.ts';

const harness = managerHarness();
const sessionId = '11111111-2222-4333-8444-555555555555';

/** An agent that fails every resume in this shape, and lists its sessions truthfully. */
const agent = (shape: ResumeFailureShape, ...faults: 'no-session-list'[]) =>
  faultyAgent(['resume-fails', ...faults], { shape, store: harness.store, record: harness.record });

describe('B10, B13: shapes that say that the session is missing', () => {
  test.each<[ResumeFailureShape, source: string, processes: number]>([
    ['stderr-only', 'stderr', 1],
    ['stderr-only-not-an-id', 'stderr', 1],
    ['query-closed', 'session-list', 1],
    ['query-closed-with-stderr', 'stderr', 1],
    ['resource-not-found-uri', 'code', 1],
    ['resource-not-found-session-id', 'code', 1],
    ['session-not-found-string', 'data', 1],
    ['unknown-session-id-string', 'data', 1],
    ['empty-data-with-stderr', 'stderr', 1],
    ['enoent', 'data', 1],
    ['exit', 'stderr', 2],
    ['exit-silently', 'session-list', 2],
  ])('%s: fresh, on the evidence of %s, %i process(es), one resume', async (shape, source, processes) => {
    const host = harness.manage(agent(shape));
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }));
    expect(await turn.text()).toContain('Hello');
    expect(session.resume).toMatchObject({
      status: 'fell-back',
      kind: 'missing',
      attempts: 1,
      evidence: { source },
    });
    expect(host.spawned).toBe(processes);
    expect(received(harness.record, 'session/new').map(resumeOf)).toEqual([sessionId, undefined]);
  });

  it.each<ResumeFailureShape>(['query-closed', 'exit-silently', 'service-failure'])(
    '%s without session/list: one more resume, then fresh, since that worked',
    async (shape) => {
      const host = harness.manage(agent(shape, 'no-session-list'));
      const { session } = await host.manager.getOrCreate(harness.request({ sessionId }));
      expect(session.resume).toMatchObject({ status: 'fell-back', kind: 'unresumable', attempts: 2 });
      expect(received(harness.record, 'session/new').map(resumeOf)).toEqual([
        sessionId,
        sessionId,
        undefined,
      ]);
      expect(host.told('resume-retry').map(({ next }) => next)).toEqual(['resume-again', 'open-fresh']);
    },
  );
});

describe('a session that is listed exists, whatever the error said', () => {
  it.each<ResumeFailureShape>(['no-conversation-found', 'resource-not-found-uri', 'stderr-only'])(
    '%s: one more resume, then fresh as unresumable',
    async (shape) => {
      const honest = harness.manage(faultyAgent([], { store: harness.store }));
      const first = await honest.manager.prompt(harness.request({ prompt: 'Hello' }));
      await first.turn.result;
      await honest.manager.stop('p1');
      const host = harness.manage(agent(shape));
      const { session } = await host.manager.getOrCreate(
        harness.request({ sessionId: first.session.sessionId }),
      );
      expect(session.resume).toMatchObject({ status: 'fell-back', kind: 'unresumable', attempts: 2 });
      expect(host.spawned).toBe(1);
    },
  );
});

describe('B11, X16, B61: failures that are not the session', () => {
  test.each<[ResumeFailureShape, object]>([
    ['auth-required', { code: 'auth-required' }],
    ['mcp-server-failed', { code: 'request-failed', facts: { rpc: { code: -32602 } } }],
    ['invalid-cwd', { code: 'request-failed', facts: { rpc: { code: -32602 } } }],
    ['another-resource-not-found', { code: 'request-failed', facts: { rpc: { code: -32002 } } }],
  ])('%s: thrown, not retried, no fresh session', async (shape, error) => {
    const host = harness.manage(agent(shape));
    const request = harness.request({ sessionId });
    await expect(host.manager.getOrCreate(request)).rejects.toMatchObject(error);
    expect(received(harness.record, 'session/new').map(resumeOf)).toEqual([sessionId]);
    expect(host.told('resume-retry')).toEqual([]);
    expect(host.manager.snapshot()).toMatchObject([{ state: 'stopped', pid: undefined }]);
  });

  it('a timeout: thrown as what it is, and the session stays resumable', async () => {
    const host = harness.manage(agent('hang'), { launch: { sessionTimeoutMs: 300 } });
    await expect(host.manager.getOrCreate(harness.request({ sessionId }))).rejects.toMatchObject({
      code: 'resume-failed',
      kind: 'timeout',
      sessionId,
    });
    expect(received(harness.record, 'session/new')).toHaveLength(1);
  });

  it('an agent that dies at every start: the fresh attempt shows the real error, with the first beside it', async () => {
    const text = 'fatal: refused to start as root with bypass permissions';
    const host = harness.manage(
      faultyAgent(['dies-in-session-new', 'no-session-list'], { text, exitCode: 7 }),
    );
    await expect(host.manager.getOrCreate(harness.request({ sessionId }))).rejects.toMatchObject({
      code: 'agent-exited',
      phase: 'session',
      facts: { exitCode: 7, stderrTail: expect.stringContaining(text) as string },
      resumeError: { code: 'resume-failed', kind: 'unproven', facts: { exitCode: 7 } },
    });
    // Two resumes and one fresh attempt.
    expect(host.spawned).toBe(3);
  });

  it('an agent that dies in initialize is never asked for a session', async () => {
    const host = harness.manage(faultyAgent('dies-in-initialize'));
    const failed = host.manager.getOrCreate(harness.request({ sessionId }));
    await expect(failed).rejects.toMatchObject({
      code: 'agent-exited',
      phase: 'initialize',
      resumeError: undefined,
    });
    expect(host.spawned).toBe(1);
  });
});

describe('X03: a lock', () => {
  it('that is released a moment later costs nothing', async () => {
    const honest = harness.manage(faultyAgent([], { store: harness.store }));
    const first = await honest.manager.prompt(harness.request({ prompt: '记住数字 42' }));
    await first.turn.result;
    await honest.manager.stop('p1');
    const locked = faultyAgent('lock-held-for-a-moment', { store: harness.store, delayMs: 300 });
    const host = harness.manage(locked);
    const { session, turn } = await host.manager.prompt(
      harness.request({ prompt: '我之前说的数字是多少？', sessionId: first.session.sessionId }),
    );
    expect(await turn.text()).toContain('42');
    expect(session.resume).toMatchObject({ status: 'resumed', error: { kind: 'locked' } });
    expect(host.spawned).toBe(1);
  });

  it('that stays is an error, never a new session', async () => {
    const host = harness.manage(agent('open-in-another-process'));
    await expect(host.manager.getOrCreate(harness.request({ sessionId }))).rejects.toMatchObject({
      code: 'resume-failed',
      kind: 'locked',
    });
    expect(received(harness.record, 'session/new').map(resumeOf)).toEqual(Array(4).fill(sessionId));
  });
});

describe('stderr', () => {
  it('B11: adapters that echo the resume, and lines about other sessions, prove nothing', async () => {
    const honest = harness.manage(faultyAgent([], { store: harness.store }));
    const first = await honest.manager.prompt(harness.request({ prompt: 'Hello' }));
    await first.turn.result;
    await honest.manager.stop('p1');
    const host = harness.manage(faultyAgent('echoes-resume-on-stderr', { store: harness.store }));
    const { session } = await host.manager.getOrCreate(
      harness.request({ sessionId: first.session.sessionId }),
    );
    expect(session.resume).toMatchObject({ status: 'resumed', attempts: 1 });
  });

  it('B10: an agent that never answers, and says so on stderr only', async () => {
    const host = harness.manage(
      faultyAgent('session-new-never-answers-but-stderr-says-missing', { record: harness.record }),
    );
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }));
    expect(await turn.text()).toContain('Hello');
    expect(session.resume).toMatchObject({ status: 'fell-back', evidence: { source: 'stderr' } });
    expect(host.spawned).toBe(1);
  });

  it('outweighs an answer that says OK', async () => {
    const host = harness.manage(faultyAgent('says-missing-then-accepts', { record: harness.record }));
    const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }));
    expect(await turn.text()).toContain('Hello');
    expect(session.resume).toMatchObject({
      status: 'fell-back',
      kind: 'missing',
      evidence: { source: expect.stringMatching(/stderr|first-prompt/) as string },
    });
    expect(session.sessionId).not.toBe(sessionId);
  });
});
