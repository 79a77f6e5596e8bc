import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import type { ClientContext } from '../../../src/client/agent-client.ts';
import { approveAll, approveReads } from '../../../src/client/permissions.ts';
import { agentRuns, failureOf } from '../../helpers/agent-runs.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const runs = agentRuns();

/** A person who never decides; the signals that the requests came with. */
function thinkForEver() {
  const signals: AbortSignal[] = [];
  const requestPermission = (_request: unknown, { signal }: ClientContext) => {
    signals.push(signal);
    return new Promise<never>(() => undefined);
  };
  return { signals, requestPermission };
}

/** What the agent was answered to its requests, from its own point of view. */
const outcomes = (text: string) => JSON.parse(text.slice(text.indexOf('['))) as unknown[];
const cancelledOutcome = { outcome: { outcome: 'cancelled' } };

describe('B42 a permission', () => {
  test('is refused without a handler', async () => {
    const session = await runs.launch(faultyAgent([]));
    expect(JSON.parse(await session.prompt('/permission').text())).toEqual({
      result: { outcome: { outcome: 'selected', optionId: 'id-reject_once' } },
    });
  });

  test.each([
    ['reject_once reject_always', cancelledOutcome],
    ['none', cancelledOutcome],
    ['sometimes', cancelledOutcome],
    ['allow_always allow_once', { outcome: { outcome: 'selected', optionId: 'id-allow_once' } }],
  ])('that offers %s is decided by what is offered', async (kinds, expected) => {
    const session = await runs.launch(faultyAgent([]), { client: { requestPermission: approveAll() } });
    const decisions: unknown[] = [];
    session.connection.on('permission', (_request, response) => decisions.push(response));
    const text = await session.prompt(`/permission ${kinds}`).text();
    expect(JSON.parse(text)).toEqual({ result: expected });
    expect(decisions).toEqual([expected]);
  });
});

describe('a permission for a tool call that was announced before', () => {
  test.each([
    ['read', 'id-allow_once'],
    ['edit', 'id-reject_once'],
  ])('is decided by what was said of it: %s', async (kind, optionId) => {
    const session = await runs.launch(faultyAgent([]), { client: { requestPermission: approveReads() } });
    const text = await session.prompt(`/announced-permission ${kind} /somewhere/file`).text();
    expect(JSON.parse(text)).toEqual({ result: { outcome: { outcome: 'selected', optionId } } });
  });
});

describe('a request for a session that is not open here', () => {
  test('is refused, and the session goes on', async () => {
    const seen: unknown[] = [];
    const session = await runs.launch(faultyAgent([]), {
      client: { readTextFile: (params) => (seen.push(params), { content: 'it is' }) },
    });
    const other = JSON.stringify({ sessionId: 'other', path: '/a' });
    const refused = JSON.parse(await session.prompt(`/ask fs/read_text_file ${other}`).text()) as object;
    expect(refused).toMatchObject({ error: { code: -32602, data: { sessionId: 'other' } } });
    expect(seen).toEqual([]);
    const own = JSON.parse(await session.prompt('/ask fs/read_text_file {"path":"/a"}').text()) as object;
    expect(own).toEqual({ result: { content: 'it is' } });
  });

  test('is served while one is being opened: it may be that one', async () => {
    const seen: unknown[] = [];
    await runs.launch(faultyAgent('asks-during-session-new', { at: 'fs/read_text_file' }), {
      client: { readTextFile: (_params, { sessionId }) => (seen.push(sessionId), { content: '' }) },
    });
    expect(seen).toEqual(['not-yet-known']);
  });
});

describe('B41 open permissions', () => {
  test('are answered with cancelled when the turn is, and their handlers hear of it', async () => {
    const { signals, requestPermission } = thinkForEver();
    const session = await runs.launch(faultyAgent('asks-many-permissions', { count: 4 }), {
      client: { requestPermission },
    });
    const turn = session.prompt('go');
    await waitUntil('the requests', () => signals.length === 4);
    await turn.cancel();
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
    expect(signals.every((signal) => signal.aborted)).toBe(true);
    expect(outcomes(turn.textSoFar)).toEqual(Array.from({ length: 4 }, () => cancelledOutcome));
    expect(turn.summary.cancelled).toMatchObject({ acknowledged: true });
  });

  test('are answered when the iteration is left', async () => {
    const { signals, requestPermission } = thinkForEver();
    const session = await runs.launch(faultyAgent('asks-many-permissions', { count: 2 }), {
      client: { requestPermission },
    });
    const turn = session.prompt('go');
    for await (const _update of turn) {
      await waitUntil('the requests', () => signals.length === 2);
      break;
    }
    expect(outcomes(turn.textSoFar)).toEqual([cancelledOutcome, cancelledOutcome]);
  });

  test('are answered at the end of the session, when the agent still listens', async () => {
    const { signals, requestPermission } = thinkForEver();
    const agent = faultyAgent('asks-many-permissions', { count: 2, record: runs.record });
    const session = await runs.launch(agent, { client: { requestPermission } });
    const turn = session.prompt('go');
    await waitUntil('the requests', () => signals.length === 2);
    await session.close();
    expect(await failureOf(turn.result)).toMatchObject({ code: 'closed' });
    expect(signals.every((signal) => signal.aborted)).toBe(true);
    const lines = readFileSync(runs.record, 'utf8').trim().split('\n');
    const answers = lines
      .map((line) => JSON.parse(line) as { result?: unknown })
      .filter(({ result }) => result);
    expect(answers.map(({ result }) => result)).toEqual([cancelledOutcome, cancelledOutcome]);
  });

  test.each(['cancelled', 'closed'])('that come when the turn was %s already ask nobody', async (how) => {
    const asked: unknown[] = [];
    const session = await runs.open(faultyAgent([], { record: runs.record }), {
      client: {
        requestPermission: (request, context) => (asked.push(request), approveAll()(request, context)),
      },
    });
    const decisions: unknown[] = [];
    session.connection.on('permission', (_request, response) => decisions.push(response));
    const turn = session.prompt('/announced-permission edit /somewhere/file');
    // The agent announces the call, and asks before it can have read of the end.
    const ended = new Promise((resolve) => {
      turn.on('update', ({ sessionUpdate }) => {
        if (sessionUpdate !== 'tool_call') return;
        resolve(how === 'cancelled' ? turn.cancel() : session.closeSession());
      });
    });
    await ended;
    expect(asked).toEqual([]);
    expect(decisions).toEqual([cancelledOutcome]);
    await waitUntil('the answer', () => readFileSync(runs.record, 'utf8').includes('"outcome":"cancelled"'));
  });

  test('of an agent that dies are aborted', async () => {
    const { signals, requestPermission } = thinkForEver();
    const session = await runs.launch(faultyAgent('asks-many-permissions'), {
      client: { requestPermission },
    });
    const turn = session.prompt('go');
    await waitUntil('the requests', () => signals.length === 10);
    process.kill(session.connection.pid, 'SIGKILL');
    expect(await failureOf(turn.result)).toMatchObject({ code: 'agent-exited' });
    await waitUntil('the signals', () => signals.every((signal) => signal.aborted));
  });
});

describe('a request of the agent', () => {
  test('during session/new is answered', async () => {
    const asked: string[] = [];
    const session = await runs.launch(faultyAgent('asks-during-session-new'), {
      client: { extMethod: (method) => void asked.push(method) },
    });
    expect(asked).toEqual(['vendor/unknown']);
    expect((await session.prompt('/echo on').text()).trim()).toBe('on');
  });

  test('that nobody serves is answered with -32601, and a notification with nothing', async () => {
    const session = await runs.launch(faultyAgent('unknown-request'));
    expect(await session.prompt('go').text()).toContain('-32601');
  });

  test('of an extension goes to the client, and its answer back', async () => {
    const told: unknown[] = [];
    const session = await runs.launch(faultyAgent([]), {
      client: {
        extMethod: (method, params) => ({ method, ...(params as object) }),
        extNotification: (method, params) => told.push([method, params]),
      },
    });
    const answer = await session.prompt('/ask vendor/x {"a":1}').text();
    expect(JSON.parse(answer)).toEqual({
      result: { method: 'vendor/x', sessionId: session.sessionId, a: 1 },
    });
    const nothing = runs.open(faultyAgent([]), { client: { extMethod: () => null } });
    expect(JSON.parse(await (await nothing).prompt('/ask vendor/x').text())).toEqual({ result: null });
    await session.prompt('/notify vendor/told {"b":2}').result;
    expect(told).toEqual([['vendor/told', { b: 2 }]]);
  });

  test('that asks about a prompt of ours ends with its turn', async () => {
    const signals: AbortSignal[] = [];
    const session = await runs.launch(faultyAgent([], { record: runs.record }), {
      client: {
        createElicitation: (_request, { signal, sessionId }) => {
          expect(sessionId).toBe(session.sessionId);
          signals.push(signal);
          return new Promise<never>(() => undefined);
        },
      },
    });
    // The third request of ours.
    const turn = session.prompt('/ask elicitation/create {"sessionId":null,"requestId":2}');
    await waitUntil('the question', () => signals.length === 1);
    await turn.cancel();
    expect(signals[0]?.aborted).toBe(true);
    await waitUntil('the answer', () => readFileSync(runs.record, 'utf8').includes('"action":"cancel"'));
  });

  test('that a handler fails at is told to the connection and not to the agent', async () => {
    const session = await runs.launch(faultyAgent([]), {
      client: {
        readTextFile: () => {
          throw new Error('the path of my home is secret');
        },
      },
    });
    const errors: string[] = [];
    session.connection.on('handler-error', (method, error) => errors.push(`${method}: ${String(error)}`));
    const text = await session.prompt('/read /a').text();
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32603 } });
    expect(text).not.toContain('secret');
    expect(errors).toEqual(['fs/read_text_file: Error: the path of my home is secret']);
  });
});

describe('requests of ours', () => {
  test('that this library has no method for go through connection.agent', async () => {
    const session = await runs.launch(faultyAgent([], { record: runs.record }));
    await expect(session.connection.agent.request('vendor/ours', { a: 1 })).rejects.toMatchObject({
      code: -32601,
    });
    await session.connection.agent.notify('vendor/told', { b: 2 });
    await session.prompt('/echo on').result;
    expect(runs.received('vendor/ours')[0]?.params).toEqual({ a: 1 });
    expect(runs.received('vendor/told')[0]?.params).toEqual({ b: 2 });
  });

  test('end when the connection does', async () => {
    const agent = faultyAgent('hangs-at', { at: 'vendor/ours' });
    const session = await runs.launch(agent);
    const asked = session.connection.agent.request('vendor/ours', {});
    await session.close();
    await expect(asked).rejects.toThrow();
  });
});
