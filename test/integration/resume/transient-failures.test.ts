import { beforeEach, describe, expect, it } from 'vitest';
import { faultyAgent, type FaultName, type ResumeFailureShape } from '../../../fixtures/index.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { received, resumeOf } from '../../helpers/received.ts';

const harness = managerHarness();
let sessionId = '';

/** A conversation in which 42 was told, and whose agent has stopped. */
beforeEach(async () => {
  const host = harness.manage(faultyAgent([], { store: harness.store }));
  const { session, turn } = await host.manager.prompt(harness.request({ prompt: '记住数字 42' }));
  await turn.result;
  await host.manager.stop('p1');
  sessionId = session.sessionId;
});

const crashing = (shape: ResumeFailureShape | undefined, ...faults: FaultName[]) =>
  faultyAgent(['transient-crash-on-resume-once', ...faults], {
    store: harness.store,
    record: harness.record,
    shape,
  });

describe('a transient crash', () => {
  // Without a list, a -32002 about this id is all that can be known of it.
  it.each<[what: string, ResumeFailureShape, processes: number, ...FaultName[]]>([
    ['that answers -32002', 'resource-not-found-uri', 1],
    ['that answers "Query closed"', 'query-closed', 1],
    ['that answers "Query closed", no list', 'query-closed', 1, 'no-session-list'],
    ['that exits with code 1', 'exit-silently', 2],
    ['that exits with code 1, no list', 'exit-silently', 2, 'no-session-list'],
    ['that reports an exit within', 'process-exited', 1],
  ])('%s (%s): the second resume gets the session back', async (_what, shape, processes, ...faults) => {
    const host = harness.manage(crashing(shape, ...faults));
    const { session, turn } = await host.manager.prompt(
      harness.request({ prompt: '我之前说的数字是多少？', sessionId }),
    );
    expect(await turn.text()).toContain('42');
    expect(session.resume).toMatchObject({
      status: 'resumed',
      sessionId,
      attempts: 2,
      error: { code: 'resume-failed' },
    });
    expect(host.spawned).toBe(processes);
    expect(host.told('resume-retry').map(({ next }) => next)).toEqual(['resume-again']);
    expect(host.told('resume-fallback')).toEqual([]);
    expect(received(harness.record, 'session/new').map(resumeOf)).toEqual([sessionId, sessionId]);
  });
});

it('a crash twice in a row is no proof either: fresh, as unresumable, and the old id is kept', async () => {
  const store = new Map();
  const twice = faultyAgent('transient-crash-on-resume-once', {
    store: harness.store,
    shape: 'exit-silently',
    times: 2,
  });
  const host = harness.manage(twice, { store });
  const { session, turn } = await host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }));
  await turn.result;
  expect(session.resume).toMatchObject({ status: 'fell-back', kind: 'unresumable', attempts: 2 });
  expect(store.get('p1')).toMatchObject({
    sessionId: session.sessionId,
    previousSessionIds: [sessionId],
  });
  // It was alive all the time, and the agent itself still resumes it; for the manager the new one stands in for it.
  await host.manager.stop('p1');
  const next = harness.manage(faultyAgent([], { store: harness.store }), { store });
  const again = await next.manager.getOrCreate(harness.request({ sessionId }));
  expect(again.session.sessionId).toBe(session.sessionId);
  const { projectId, projectPath } = harness.request({});
  await using old = await next.launcher.launch(
    projectId,
    projectPath,
    undefined,
    { resumeSessionId: sessionId },
    {},
  );
  expect(await old.prompt('我之前说的数字是多少？').text()).toContain('42');
});

it('an endless list decides nothing, and holds nothing up', async () => {
  const endless = faultyAgent(['resume-fails', 'session-list-endless'], {
    store: harness.store,
    record: harness.record,
    shape: 'query-closed',
  });
  const host = harness.manage(endless);
  const { session } = await host.manager.getOrCreate(harness.request({ sessionId }));
  expect(session.resume).toMatchObject({ status: 'fell-back', kind: 'unresumable', attempts: 2 });
});

it('a list that hides the session: "unproven" is taken for missing, as it was told', async () => {
  const hiding = faultyAgent(['transient-crash-on-resume-once', 'session-list-empty'], {
    store: harness.store,
    shape: 'query-closed',
  });
  const host = harness.manage(hiding);
  const { session } = await host.manager.getOrCreate(harness.request({ sessionId }));
  expect(session.resume).toMatchObject({
    status: 'fell-back',
    kind: 'missing',
    evidence: { source: 'session-list', text: expect.stringContaining('Query closed') as string },
  });
});
