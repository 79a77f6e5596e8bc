import { describe, expect, it, vi } from 'vitest';
import { acproxyAgent, faultyAgent } from '../../../fixtures/index.ts';
import type { ResumePolicy } from '../../../src/session/resume-policy.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { received, resumeOf } from '../../helpers/received.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const harness = managerHarness();
const sessionId = '11111111-2222-4333-8444-555555555555';
const resumes = () => received(harness.record, 'session/new').map(resumeOf);

const failing = (options: Parameters<typeof faultyAgent>[1] = {}) =>
  faultyAgent('resume-fails', { record: harness.record, ...options });

describe('enableFallback: false', () => {
  const resumePolicy = { enableFallback: false };

  it('a missing session is an error, and no session is opened', async () => {
    const host = harness.manage(failing(), { resumePolicy });
    await expect(host.manager.getOrCreate(harness.request({ sessionId }))).rejects.toMatchObject({
      code: 'resume-failed',
      kind: 'missing',
      sessionId,
      evidence: { pattern: 'no conversation found' },
    });
    expect(resumes()).toEqual([sessionId]);
    expect(host.manager.list()).toEqual([]);
  });

  it('B16: an ignored resume is an error as well, and the agent is gone', async () => {
    const host = harness.manage(faultyAgent('ignores-resume'), { resumePolicy });
    await expect(host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }))).rejects.toMatchObject({
      code: 'resume-failed',
      kind: 'ignored',
    });
    const [exit] = host.told('agent-exit');
    expect(exit).toMatchObject({ expected: true });
  });

  it('B15: so is a session that is unknown at its first prompt', async () => {
    const agent = faultyAgent('resume-ok-then-prompt-unknown-session', { record: harness.record });
    const host = harness.manage(agent, { resumePolicy });
    await expect(host.manager.prompt(harness.request({ prompt: 'Hello', sessionId }))).rejects.toMatchObject({
      code: 'resume-failed',
      kind: 'missing',
      evidence: { source: 'first-prompt' },
      cause: { code: 'request-failed' },
    });
    expect(received(harness.record, 'session/prompt')).toHaveLength(1);
    expect(host.told('resume-fallback')).toEqual([]);
  });
});

describe('maxRetries', () => {
  /** Answers the resume, then dies at each fresh `session/new`: the fault named last sees a request first. */
  const dying = () => faultyAgent(['dies-in-session-new', 'resume-fails'], { record: harness.record });

  it.each([1, 3])('%i: really that many fresh attempts when the agent dies each time', async (maxRetries) => {
    const host = harness.manage(dying(), { resumePolicy: { maxRetries } });
    await expect(host.manager.getOrCreate(harness.request({ sessionId }))).rejects.toMatchObject({
      code: 'agent-exited',
      resumeError: { kind: 'missing' },
    });
    expect(resumes()).toEqual([sessionId, ...Array<undefined>(maxRetries).fill(undefined)]);
    expect(host.spawned).toBe(maxRetries);
  });

  it('0: none', async () => {
    const host = harness.manage(dying(), { resumePolicy: { maxRetries: 0 } });
    await expect(host.manager.getOrCreate(harness.request({ sessionId }))).rejects.toMatchObject({
      code: 'resume-failed',
    });
    expect(host.spawned).toBe(1);
  });

  it('3: an error that would come again is not tried again', async () => {
    const agent = faultyAgent(['fails-at', 'resume-fails'], { record: harness.record, text: 'out of order' });
    const host = harness.manage(agent, { resumePolicy: { maxRetries: 3 } });
    await expect(host.manager.getOrCreate(harness.request({ sessionId }))).rejects.toMatchObject({
      code: 'request-failed',
      message: expect.stringContaining('out of order') as string,
      resumeError: { kind: 'missing' },
    });
    expect(resumes()).toEqual([sessionId, undefined]);
  });

  it('3: the first that works is taken', async () => {
    const agent = faultyAgent(['dies-in-session-new', 'resume-fails'], {
      record: harness.record,
      store: harness.store,
      times: 2,
    });
    // The count of strikes is kept in the store: two fresh attempts die, the third lives.
    const host = harness.manage(agent, { resumePolicy: { maxRetries: 3 } });
    const { session } = await host.manager.getOrCreate(harness.request({ sessionId }));
    expect(session.resume).toMatchObject({ status: 'fell-back', kind: 'missing' });
    expect(resumes().filter((id) => id === undefined)).toHaveLength(3);
  });
});

describe('preserveMcpServers', () => {
  const mcpServers = { files: { command: 'true' } };
  const servers = () => received(harness.record, 'session/new').map(({ params }) => params['mcpServers']);

  it.each([
    [true, 1],
    [false, 0],
  ])('%s: the fresh attempt has %i', async (preserveMcpServers, count) => {
    const host = harness.manage(failing(), { resumePolicy: { preserveMcpServers } });
    await host.manager.getOrCreate(harness.request({ sessionId, mcpServers }));
    expect(servers()).toEqual([[expect.objectContaining({ name: 'files' })], expect.any(Array)]);
    expect(servers()[1]).toHaveLength(count);
  });

  it('false: also where the first prompt shows that the session is missing', async () => {
    const agent = faultyAgent('resume-ok-then-prompt-unknown-session', { record: harness.record });
    const host = harness.manage(agent, { resumePolicy: { preserveMcpServers: false } });
    await host.manager.prompt(harness.request({ prompt: 'Hello', sessionId, mcpServers }));
    expect(servers()).toEqual([[expect.objectContaining({ name: 'files' })], []]);
  });

  it('false: nothing but the fallback goes without them', async () => {
    const host = harness.manage(failing(), { resumePolicy: { preserveMcpServers: false } });
    await host.manager.getOrCreate(harness.request({ mcpServers }));
    expect(servers()).toEqual([[expect.objectContaining({ name: 'files' })]]);
  });
});

describe('keywords', () => {
  const keywords = [{ pattern: /out of (memory|paper)/, kind: 'missing', lookIn: ['data'] }] as const;

  it("of the caller's own are used instead of ours", async () => {
    const agent = faultyAgent('fails-at', { details: 'out of paper', times: 1, record: harness.record });
    const host = harness.manage(agent, { resumePolicy: { keywords } });
    const { session } = await host.manager.getOrCreate(harness.request({ sessionId }));
    expect(session.resume).toMatchObject({
      status: 'fell-back',
      kind: 'missing',
      attempts: 1,
      evidence: { source: 'data', pattern: '/out of (memory|paper)/' },
    });
  });

  it('ours mean nothing then', async () => {
    const agent = faultyAgent(['resume-fails', 'no-session-list'], { record: harness.record });
    const host = harness.manage(agent, { resumePolicy: { keywords } });
    const { session } = await host.manager.getOrCreate(harness.request({ sessionId }));
    expect(session.resume).toMatchObject({ status: 'fell-back', kind: 'unresumable', attempts: 2 });
  });
});

describe('fallbackOn', () => {
  it('may name other kinds', async () => {
    const host = harness.manage(failing({ shape: 'hang' }), {
      resumePolicy: { fallbackOn: ['timeout'] },
      launch: { sessionTimeoutMs: 300 },
    });
    const { session } = await host.manager.getOrCreate(harness.request({ sessionId }));
    expect(session.resume).toMatchObject({ status: 'fell-back', kind: 'timeout' });
    // What the agent never answered was given up; it is the same agent.
    expect(host.spawned).toBe(1);
  });

  it('may leave out ours', async () => {
    const host = harness.manage(failing(), { resumePolicy: { fallbackOn: [] } });
    await expect(host.manager.getOrCreate(harness.request({ sessionId }))).rejects.toMatchObject({
      kind: 'missing',
    });
  });
});

describe('classify', () => {
  const evidence = { source: 'caller', text: 'I know better' } as const;

  it('overrules ours: keeps what we would drop', async () => {
    const classify = vi.fn<NonNullable<ResumePolicy['classify']>>(() => ({ action: 'throw', evidence }));
    const host = harness.manage(failing(), { resumePolicy: { classify } });
    await expect(host.manager.getOrCreate(harness.request({ sessionId }))).rejects.toMatchObject({
      code: 'request-failed',
    });
    expect(classify.mock.calls).toEqual([
      [
        expect.objectContaining({
          sessionId,
          method: 'session/new',
          stderrLines: expect.any(Array) as unknown,
        }),
        expect.objectContaining({ kind: 'missing' }),
      ],
    ]);
  });

  it('overrules ours: drops what we would keep', async () => {
    const classify = () => ({ action: 'failed', kind: 'missing', evidence }) as const;
    const host = harness.manage(failing({ shape: 'mcp-server-failed' }), { resumePolicy: { classify } });
    const { session } = await host.manager.getOrCreate(harness.request({ sessionId }));
    expect(session.resume).toMatchObject({ status: 'fell-back', kind: 'missing', evidence });
  });

  it('is an error that names it, where it throws', async () => {
    const classify = () => {
      throw new Error('a bug');
    };
    const host = harness.manage(failing(), { resumePolicy: { classify } });
    await expect(host.manager.getOrCreate(harness.request({ sessionId }))).rejects.toMatchObject({
      code: 'invalid-config',
      facts: { field: 'resumePolicy.classify' },
    });
  });

  it("does not overrule the caller's abort", async () => {
    const classify = vi.fn(() => ({ action: 'failed', kind: 'missing', evidence }) as const);
    const host = harness.manage(failing({ shape: 'hang' }), { resumePolicy: { classify } });
    const controller = new AbortController();
    const opening = host.manager.getOrCreate(harness.request({ sessionId, signal: controller.signal }));
    opening.catch(() => undefined);
    await waitUntil('the resume to be sent', () => resumes().length === 1);
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: 'aborted' });
    await host.until('agent-exit');
    expect(classify).not.toHaveBeenCalled();
    expect(resumes()).toEqual([sessionId]);
  });
});

it('fresh attempts that fail leave the pointer as it was', async () => {
  const store = new Map();
  const first = harness.manage(acproxyAgent({ store: harness.store, chunkDelayMs: 0 }), { store });
  const { turn } = await first.manager.prompt(harness.request({ prompt: 'Hello' }));
  await turn.result;
  await first.manager.stop('p1');
  const before = structuredClone(store.get('p1')) as object;
  const agent = {
    ...faultyAgent(['fails-at', 'resume-fails'], { store: harness.store }),
    agentId: 'acproxy',
  };
  const host = harness.manage(agent, { store, launch: { agentId: 'acproxy' } });
  await expect(host.manager.prompt(harness.request({ prompt: 'Hello' }))).rejects.toMatchObject({
    code: 'request-failed',
    resumeError: { kind: 'missing' },
  });
  expect(store.get('p1')).toEqual(before);
});
