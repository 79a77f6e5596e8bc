import type { SessionNotification } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ResumeEvidence } from '../../../src/errors/resume-failed-error.ts';
import { deferred } from '../../../src/internal/deferred.ts';
import {
  sendOpeningRequest,
  type OpeningRequest,
  type OpeningSession,
} from '../../../src/session/opening-request.ts';
import { defaultResumePolicy } from '../../../src/session/resume-policy.ts';
import { UpdateRouter } from '../../../src/session/update-router.ts';
import { FakeAgent } from '../wire/fake-agent.ts';

const missing = 'No conversation found with session ID: old';

class FakeSession implements OpeningSession {
  readonly sessionId: string;
  readonly log: string[];
  doubt: ResumeEvidence | undefined;
  onFirstTurnUpdate: () => void = () => undefined;
  readonly #closed = deferred<void>();
  readonly closed = this.#closed.promise;

  constructor(sessionId: string, log: string[]) {
    this.sessionId = sessionId;
    this.log = log;
    log.push(`created ${sessionId}`);
  }
  answered(result: unknown): void {
    this.log.push(`answered ${JSON.stringify(result)}`);
  }
  receive({ update }: SessionNotification): void {
    this.log.push(`received ${(update as unknown as { name: string }).name}`);
  }
  detach(): void {
    this.log.push('detached');
    this.end();
  }
  end(): void {
    this.#closed.resolve();
  }
}

let agent: FakeAgent;
let log: string[];
let router: UpdateRouter;

const update = (sessionId: string, name: string) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId, update: { sessionUpdate: 'x', name } },
});
const answer = (result: unknown) => ({ jsonrpc: '2.0', id: 0, result });
const failure = (code: number, message: string, data?: unknown) => ({
  jsonrpc: '2.0',
  id: 0,
  error: { code, message, data },
});
const says = (line: string) => agent.stderr.write(Buffer.from(`${line}\n`));

/** Sends the request; the agent has read it when this resolves. */
async function open(request: Partial<OpeningRequest<FakeSession>> = {}) {
  const opening = sendOpeningRequest<FakeSession>({
    wire: agent.wire,
    stderr: agent.stderr,
    router,
    method: 'session/new',
    params: { cwd: '/' },
    requestedSessionId: undefined,
    policy: defaultResumePolicy,
    timeoutMs: 0,
    signal: undefined,
    note: undefined,
    createSession: (sessionId) => new FakeSession(sessionId, log),
    ...request,
  });
  opening.catch(() => undefined);
  await agent.read();
  return opening.then(
    (session) => ({ session, error: undefined }),
    (error: unknown) => ({ session: undefined, error }),
  );
}

/** As {@link open}, with what the agent does then. */
async function openWith(
  request: Partial<OpeningRequest<FakeSession>>,
  respond: () => Promise<void> | void,
): Promise<{ session: FakeSession | undefined; error: unknown }> {
  const opening = open(request);
  await agent.read();
  await respond();
  return opening;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  log = [];
  router = new UpdateRouter(({ sessionId }) => log.push(`unrouted ${sessionId}`));
  agent = new FakeAgent({ onUpdate: (notification, size) => router.route(notification, size) });
});
afterEach(() => {
  agent.wire.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('session/new', () => {
  test('B27 is a session from its response line on, with the updates before it and behind it', async () => {
    const { session } = await openWith({}, () =>
      agent.write(update('new', 'early'), answer({ sessionId: 'new', modes: null }), update('new', 'late')),
    );
    expect(session?.sessionId).toBe('new');
    expect(log).toEqual([
      'created new',
      'received early',
      'answered {"sessionId":"new","modes":null}',
      'received late',
    ]);
  });

  test.each([[null], [{}], [{ sessionId: '' }], [{ sessionId: 7 }]])(
    'that is answered with %j is none',
    async (result) => {
      const { error } = await openWith({}, () => agent.write(update('new', 'early'), answer(result)));
      expect(error).toMatchObject({ code: 'invalid-response', facts: { method: 'session/new' } });
      expect(log).toEqual(['unrouted new']);
    },
  );

  test('that fails leaves the early updates to nobody', async () => {
    const { error } = await openWith({}, () =>
      agent.write(update('new', 'early'), failure(-32603, 'broken')),
    );
    expect(error).toMatchObject({ code: 'request-failed' });
    expect(log).toEqual(['unrouted new']);
    await agent.write(update('new', 'later'));
    expect(log).toEqual(['unrouted new', 'unrouted new']);
  });

  test('that is aborted when its response was read is no session any more', async () => {
    const controller = new AbortController();
    const { error } = await openWith(
      {
        signal: controller.signal,
        createSession: (sessionId) => {
          controller.abort();
          return new FakeSession(sessionId, log);
        },
      },
      () => agent.write(answer({ sessionId: 'new' })),
    );
    expect(error).toMatchObject({ code: 'aborted' });
    expect(log.at(-1)).toBe('detached');
  });

  test('without an id to go on with, what stderr says of sessions is nobody’s business', async () => {
    const { session } = await openWith({}, () => {
      says(missing);
      return agent.write(answer({ sessionId: 'new' }));
    });
    expect(session?.doubt).toBeUndefined();
  });
});

describe.each(['session/load', 'session/resume'] as const)('%s', (method) => {
  const request = { method, requestedSessionId: 'old', params: { sessionId: 'old' } };

  test('is a session before it is answered, so that its history finds it', async () => {
    const { session } = await openWith(request, () => agent.write(update('old', 'history'), answer(null)));
    expect(session?.sessionId).toBe('old');
    expect(log).toEqual(['created old', 'received history', 'answered null']);
  });

  test('that fails after some history is none: it is detached, and the failure is the resume’s', async () => {
    const { error } = await openWith(request, () =>
      agent.write(update('old', 'history'), failure(-32002, 'Resource not found', { sessionId: 'old' })),
    );
    expect(error).toMatchObject({ code: 'resume-failed', kind: 'missing', sessionId: 'old' });
    expect(log).toEqual(['created old', 'received history', 'detached']);
  });

  test('that passes its deadline is none', async () => {
    const { error } = await openWith({ ...request, timeoutMs: 1_000 }, async () => {
      await vi.advanceTimersByTimeAsync(1_000);
    });
    expect(error).toMatchObject({ facts: { timeoutMs: 1_000 } });
    expect(log).toEqual(['created old', 'detached']);
  });
});

describe('stderr that says that the session is missing', () => {
  const request = { requestedSessionId: 'old' };

  test('ends the wait for an agent that never answers, after a moment', async () => {
    const { error } = await openWith(request, async () => {
      says(missing);
      await vi.advanceTimersByTimeAsync(499);
      expect(log).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
    });
    expect(error).toMatchObject({
      code: 'resume-failed',
      kind: 'missing',
      evidence: { source: 'stderr', text: expect.stringContaining(missing) as string },
    });
  });

  test('leaves the word to an answer that comes within that moment', async () => {
    const { error } = await openWith(request, async () => {
      says(missing);
      await agent.write(failure(-32603, 'Internal error', { details: missing }));
    });
    expect(error).toMatchObject({ kind: 'missing', evidence: { source: 'data' } });
  });

  test('beats an answer of success', async () => {
    const { error } = await openWith(request, async () => {
      says(missing);
      await agent.write(answer({ sessionId: 'old' }));
    });
    expect(error).toMatchObject({ code: 'resume-failed', kind: 'missing', evidence: { source: 'stderr' } });
    expect(log.at(-1)).toBe('detached');
  });

  test('says nothing against a session of another id', async () => {
    const { session } = await openWith(request, async () => {
      says(missing);
      await agent.write(answer({ sessionId: 'new' }));
    });
    expect(session?.sessionId).toBe('new');
  });

  test('after the answer is a doubt, until the first turn shows that the session works', async () => {
    const { session } = await openWith(request, () => agent.write(answer({ sessionId: 'old' })));
    says('all is well');
    expect(session?.doubt).toBeUndefined();
    says(missing);
    expect(session?.doubt?.text).toContain(missing);
  });

  test('after that is nobody’s business', async () => {
    const { session } = await openWith(request, () => agent.write(answer({ sessionId: 'old' })));
    session?.onFirstTurnUpdate();
    says(missing);
    expect(session?.doubt).toBeUndefined();
  });

  test('after the end of the session neither', async () => {
    const { session } = await openWith(request, () => agent.write(answer({ sessionId: 'old' })));
    session?.end();
    await session?.closed;
    says(missing);
    expect(session?.doubt).toBeUndefined();
  });
});
