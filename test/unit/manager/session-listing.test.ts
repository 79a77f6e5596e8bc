import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, test } from 'vitest';
import type { AgentConnection } from '../../../src/agent-connection.ts';
import { listingOf } from '../../../src/manager/session-listing.ts';

const { signal } = new AbortController();

/** An agent whose list brings these ids, one after another. */
function listing(ids: Iterable<string> | AsyncIterable<string>, asked: object[] = []): AgentConnection {
  return {
    cwd: '/p',
    agentCapabilities: { sessionCapabilities: { list: {} } },
    async *listSessions(filter: object) {
      asked.push(filter);
      for await (const sessionId of ids) yield { sessionId };
    },
  } as unknown as AgentConnection;
}

test.each([
  [['a', 'b'], 'listed'],
  [['b', 'c'], 'absent'],
  [[], 'absent'],
])('%o: %s', async (ids, expected) => {
  const asked: object[] = [];
  expect(await listingOf(listing(ids, asked), 'a', signal)).toBe(expected);
  expect(asked).toMatchObject([{ cwd: '/p' }]);
});

it('is unknown where the agent offers no list', async () => {
  const agent = { agentCapabilities: {} } as unknown as AgentConnection;
  expect(await listingOf(agent, 'a', signal)).toBe('unknown');
});

it('is unknown where the list fails', async () => {
  async function* failing() {
    yield 'b';
    await Promise.reject(new Error('failed'));
  }
  expect(await listingOf(listing(failing()), 'a', signal)).toBe('unknown');
});

it('is unknown where the list does not end in time', async () => {
  async function* endless() {
    for (;;) {
      await delay(1);
      yield 'b';
    }
  }
  expect(await listingOf(listing(endless()), 'a', signal, 20)).toBe('unknown');
});

it("is over with the caller's abort", async () => {
  const controller = new AbortController();
  const agent = {
    cwd: '/p',
    agentCapabilities: { sessionCapabilities: { list: {} } },
    listSessions: async function* (filter: { signal: AbortSignal }) {
      controller.abort();
      await Promise.resolve();
      yield* [];
      filter.signal.throwIfAborted();
    },
  } as unknown as AgentConnection;
  await expect(listingOf(agent, 'a', controller.signal)).rejects.toThrow();
});
