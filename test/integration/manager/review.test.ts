import { describe, expect, it } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import type { ModelProviderConfig } from '../../../src/index.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const harness = managerHarness();
const provider = (defaultModel: string): ModelProviderConfig => ({
  id: 'x',
  name: 'x',
  baseUrl: 'https://x.example',
  apiKey: 'key-0123456789',
  defaultModel,
});

describe('a new conversation that was asked for', () => {
  it('is not replaced by the old one when its agent must be replaced before anything was said', async () => {
    const { manager } = harness.manage(faultyAgent([], { store: harness.store }));
    const modelProvider = provider('one');
    const first = await manager.prompt(harness.request({ prompt: '记住数字 42', modelProvider }));
    await first.turn.result;
    const anew = await manager.getOrCreate(harness.request({ newSession: true, modelProvider }));
    const prompt = '我之前说的数字是多少？';
    const { sessionId } = anew.session;
    const next = await manager.prompt(harness.request({ sessionId, prompt, modelProvider: provider('two') }));
    expect(next.session.resume).toMatchObject({ status: 'fresh', reason: 'never-prompted' });
    expect(await next.turn.text()).not.toContain('42');
  });
});

describe('a client that keeps asking for the session that was lost', () => {
  it('gets the one that took its place also after a restart of the service', async () => {
    const agent = faultyAgent([], { store: harness.store });
    const store = new Map();
    const lost = '00000000-0000-4000-8000-000000000000';
    const before = harness.manage(agent, { store }).manager;
    const first = await before.prompt(harness.request({ sessionId: lost, prompt: '记住数字 42' }));
    expect(first.session.resume).toMatchObject({ status: 'fell-back', requestedSessionId: lost });
    await first.turn.result;
    await before.shutdown();
    for (let restart = 0; restart < 2; restart += 1) {
      const { manager } = harness.manage(agent, { store });
      const request = harness.request({ sessionId: lost, prompt: '我之前说的数字是多少？' });
      const { session, turn } = await manager.prompt(request);
      expect(session.resume).toMatchObject({ status: 'resumed', sessionId: first.session.sessionId });
      expect(await turn.text()).toContain('42');
      await manager.shutdown();
    }
  });
});

describe('the first prompt after a resume', () => {
  it('is given to its caller when the agent asks for a permission before it says anything', async () => {
    let answer: ((decision: { outcome: { outcome: 'cancelled' } }) => void) | undefined;
    const asked = new Promise<{ outcome: { outcome: 'cancelled' } }>((resolve) => (answer = resolve));
    const { manager } = harness.manage(faultyAgent([], { store: harness.store }), {
      client: { requestPermission: () => asked },
    });
    await (
      await manager.prompt(harness.request({ prompt: 'Hello' }))
    ).turn.result;
    await manager.stop('p1');
    // Resolves although nobody has answered: a service shows the permission on the stream of this very turn.
    const { turn, session } = await manager.prompt(harness.request({ prompt: '/permission allow_once' }));
    expect(session.resume.status).toBe('resumed');
    expect(turn.state).toBe('running');
    answer?.({ outcome: { outcome: 'cancelled' } });
    expect(await turn.text()).toContain('cancelled');
  });
});

describe('a rejected session whose replacement can not be opened', () => {
  it('leaves no agent behind when the manager is shut down meanwhile', async () => {
    const rejecting = faultyAgent('resume-ok-then-prompt-unknown-session', { store: harness.store });
    const { manager } = harness.manage(rejecting, { maxStartingAgents: 1 });
    const { session } = await manager.getOrCreate(
      harness.request({ sessionId: '11111111-1111-4111-8111-111111111111' }),
    );
    const { exited } = session.connection;
    const startConfig = {
      agentServer: { agentId: 'slow', ...faultyAgent('slow-session-new', { delayMs: 60_000 }) },
    };
    const other = manager
      .getOrCreate(harness.request({ startConfig }, 'p2'))
      .catch((error: unknown) => error);
    await waitUntil('the other project to take the only slot', () =>
      manager.snapshot().some(({ projectId, state }) => projectId === 'p2' && state === 'starting'),
    );
    const rejected = manager.prompt(harness.request({ prompt: 'Hello' })).catch((error: unknown) => error);
    await waitUntil('the prompt to be rejected', () => manager.get('p1') === undefined);
    await manager.shutdown();
    expect(await rejected).toMatchObject({ code: 'closed' });
    expect(await other).toMatchObject({ code: 'closed' });
    await exited;
    expect(session.connection.exit).toBeDefined();
  });
});

describe('bad input', () => {
  const bad = (value: unknown) => value as never;

  it('is told by its field, and hurts nobody later', async () => {
    const { manager } = harness.manage(faultyAgent([]));
    const fieldOf = (work: Promise<unknown>) =>
      work.catch((error: unknown) => {
        const { code, facts } = error as { code: string; facts: { field: string } };
        return `${code} ${facts.field}`;
      });
    expect(await fieldOf(manager.getOrCreate(bad(null)))).toBe('invalid-config request');
    expect(await fieldOf(manager.getOrCreate(harness.request({ signal: bad({}) })))).toBe(
      'invalid-config signal',
    );
    expect(await fieldOf(manager.getOrCreate(harness.request({ client: bad({ readTextFile: null }) })))).toBe(
      'invalid-config client.readTextFile',
    );
    expect(await fieldOf(manager.prompt({ ...harness.request(), prompt: 'x', attachments: bad(5) }))).toBe(
      'invalid-config attachments',
    );
    const { session } = await manager.getOrCreate(harness.request());
    expect(await fieldOf(session.prompt('x', bad(null)).result)).toBe('invalid-config options');
    expect(await fieldOf(session.prompt('x', { signal: bad({}) }).result)).toBe(
      'invalid-config options.signal',
    );
    expect(await fieldOf(session.connection.openSession({ resumeSessionId: bad(5) }))).toBe(
      'invalid-config resumeSessionId',
    );
    await manager.stop('p1');
  });
});

describe('X12 a prompt that is awaited within the iteration of the turn before it', () => {
  it('does not deadlock, however much that turn still has to say', async () => {
    const { manager } = harness.manage(faultyAgent([], { store: harness.store }), {
      launch: { maxBufferedBytes: 50_000, maxBufferedHardBytes: 200_000 },
    });
    const { turn } = await manager.prompt(harness.request({ prompt: '/burst 100000' }));
    let answer = '';
    const iterated = (async () => {
      for await (const _update of turn) {
        if (answer !== '') continue;
        const next = await manager.prompt(harness.request({ prompt: '/echo next' }));
        answer = await next.turn.text();
      }
    })();
    await expect(iterated).rejects.toMatchObject({ code: 'turn-overflow' });
    expect(answer.trim()).toBe('next');
  });
});
