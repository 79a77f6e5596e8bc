import { describe, expect, test, vi } from 'vitest';
import type { AgentClient, ClientContext } from '../../../src/client/agent-client.ts';
import { ClientRequestError } from '../../../src/client/client-request-error.ts';
import { deferred } from '../../../src/internal/deferred.ts';
import { clientCapabilities, ClientRequests } from '../../../src/wire/client-handlers.ts';
import { FakeAgent, settle, type Message } from './fake-agent.ts';

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const permission = {
  sessionId: 's',
  toolCall: { toolCallId: 'c', title: 'Write', kind: 'edit', status: 'pending' },
  options,
};
const selected = (optionId: string) => ({ outcome: { outcome: 'selected' as const, optionId } });
const cancelled = { outcome: { outcome: 'cancelled' } };

const request = (id: Message['id'], method: string, params: unknown) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** What a client answers to one request. */
async function ask(client: AgentClient, method: string, params: unknown): Promise<Message> {
  const agent = new FakeAgent({ client });
  await agent.write(request('r', method, params));
  const answers = await agent.read();
  expect(answers).toHaveLength(1);
  return answers[0]!;
}

describe('capabilities follow from the handlers', () => {
  const none = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
  const terminals = {
    createTerminal: vi.fn(),
    terminalOutput: vi.fn(),
    waitForTerminalExit: vi.fn(),
    killTerminal: vi.fn(),
    releaseTerminal: vi.fn(),
  };
  const { releaseTerminal: _release, ...mostTerminals } = terminals;

  test.each<[string, AgentClient, object]>([
    ['none', {}, none],
    ['reading', { readTextFile: vi.fn() }, { ...none, fs: { readTextFile: true, writeTextFile: false } }],
    ['writing', { writeTextFile: vi.fn() }, { ...none, fs: { readTextFile: false, writeTextFile: true } }],
    ['all of the terminal', terminals, { ...none, terminal: true }],
    ['not all of the terminal', mostTerminals, none],
    ['elicitation', { createElicitation: vi.fn() }, { ...none, elicitation: { form: {} } }],
    [
      'elicitation at an address',
      { createElicitation: vi.fn(), completeElicitation: vi.fn() },
      { ...none, elicitation: { form: {}, url: {} } },
    ],
    ['an end without a beginning', { completeElicitation: vi.fn() }, none],
    ['what has no capability', { requestPermission: vi.fn(), extMethod: vi.fn() }, none],
  ])('%s', (_what, client, expected) => {
    expect(clientCapabilities(client)).toEqual(expected);
  });
});

describe('an answer', () => {
  test.each<[string, keyof AgentClient]>([
    ['session/request_permission', 'requestPermission'],
    ['elicitation/create', 'createElicitation'],
    ['fs/read_text_file', 'readTextFile'],
    ['fs/write_text_file', 'writeTextFile'],
    ['terminal/create', 'createTerminal'],
    ['terminal/output', 'terminalOutput'],
    ['terminal/wait_for_exit', 'waitForTerminalExit'],
    ['terminal/kill', 'killTerminal'],
    ['terminal/release', 'releaseTerminal'],
  ])('to %s is what %s returns', async (method, name) => {
    const handler = vi.fn((_params: unknown, _context: ClientContext) => ({ answer: name }));
    // More than the protocol names, which a newer agent may well send.
    const params = { sessionId: 's', anything: { else: true } };
    const answer = await ask({ [name]: handler }, method, params);
    expect(answer).toEqual({ jsonrpc: '2.0', id: 'r', result: { answer: name } });
    expect(handler.mock.calls[0]?.[0]).toEqual(params);
    expect(handler.mock.calls[0]?.[1]).toMatchObject({ sessionId: 's' });
    expect(handler.mock.calls[0]?.[1].signal.aborted).toBe(false);
  });

  test('a handler keeps the this of its object', async () => {
    class Client {
      readonly content = 'mine';
      readTextFile() {
        return { content: this.content };
      }
    }
    expect((await ask(new Client(), 'fs/read_text_file', { sessionId: 's' })).result).toEqual({
      content: 'mine',
    });
  });

  test.each([undefined, null])('a handler that returns %s answers with an empty object', async (nothing) => {
    const client = { writeTextFile: () => nothing as unknown as object };
    expect((await ask(client, 'fs/write_text_file', { sessionId: 's' })).result).toEqual({});
  });

  test('a permission handler that returns nothing cancels', async () => {
    const client = { requestPermission: () => undefined as never };
    expect((await ask(client, 'session/request_permission', permission)).result).toEqual(cancelled);
  });

  test('requests are served side by side, each with its own answer', async () => {
    const gates = [deferred<void>(), deferred<void>()];
    const agent = new FakeAgent({
      client: {
        readTextFile: async ({ path }) => {
          await gates[Number(path)]?.promise;
          return { content: path };
        },
      },
    });
    await agent.write(
      request(1, 'fs/read_text_file', { sessionId: 's', path: '0' }),
      request(2, 'fs/read_text_file', { sessionId: 's', path: '1' }),
    );
    expect(agent.log).toEqual(['open s 1', 'open s 2']);
    gates[1]?.resolve();
    expect(await agent.read()).toMatchObject([{ id: 2, result: { content: '1' } }]);
    gates[0]?.resolve();
    expect(await agent.read()).toMatchObject([{ id: 1, result: { content: '0' } }]);
    expect(agent.log.slice(2)).toEqual(['open s 1', 'open s 0']);
  });
});

describe('an error', () => {
  test('meant for the agent reaches it as it is', async () => {
    const client = {
      readTextFile: () => {
        throw new ClientRequestError(-32002, 'no such file', { path: '/a' });
      },
    };
    expect((await ask(client, 'fs/read_text_file', { sessionId: 's' })).error).toEqual({
      code: -32002,
      message: 'no such file',
      data: { path: '/a' },
    });
  });

  test.each([
    ['throws', () => Promise.reject(new Error('secret path'))],
    [
      'rejects',
      () => {
        throw new Error('secret path');
      },
    ],
  ])('of a handler that %s is told here, and its text is kept from the agent', async (_how, readTextFile) => {
    const agent = new FakeAgent({ client: { readTextFile } });
    await agent.write(request('r', 'fs/read_text_file', { sessionId: 's' }));
    const [answer] = await agent.read();
    expect(answer?.error?.code).toBe(-32603);
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(agent.log).toContain('handler of fs/read_text_file failed: Error: secret path');
  });
});

describe('what is not served', () => {
  test('B42 a permission without a handler is refused, never granted', async () => {
    expect((await ask({}, 'session/request_permission', permission)).result).toEqual(selected('no'));
    const onlyAllow = { ...permission, options: options.slice(0, 1) };
    expect((await ask({}, 'session/request_permission', onlyAllow)).result).toEqual(cancelled);
    const unknownKinds = { ...permission, options: [{ optionId: 'x', name: 'X', kind: 'sometimes' }] };
    expect((await ask({}, 'session/request_permission', unknownKinds)).result).toEqual(cancelled);
    expect((await ask({}, 'session/request_permission', { sessionId: 's' })).result).toEqual(cancelled);
  });

  test.each(['fs/read_text_file', 'terminal/create', 'elicitation/create', 'vendor/x', 'session/update'])(
    '%s without a handler is not found',
    async (method) => {
      expect((await ask({}, method, { sessionId: 's' })).error).toMatchObject({ code: -32601 });
    },
  );

  test('a method of ACP without a handler is not asked of extMethod', async () => {
    const extMethod = vi.fn(() => ({}));
    expect((await ask({ extMethod }, 'fs/read_text_file', {})).error).toMatchObject({ code: -32601 });
    expect(extMethod).not.toHaveBeenCalled();
  });
});

describe('a request that belongs to no session of ours', () => {
  const served = vi.fn(() => ({}));
  const client: AgentClient = {
    requestPermission: served as never,
    readTextFile: served as never,
    createTerminal: served as never,
    terminalOutput: served as never,
    createElicitation: served as never,
    extMethod: served,
  };
  const methods = [
    'session/request_permission',
    'fs/read_text_file',
    'terminal/create',
    'terminal/output',
    'elicitation/create',
  ];

  test.each(methods)('%s is refused for a session that is not open here', async (method) => {
    served.mockClear();
    const { error } = await ask(client, method, { sessionId: 'unknown-1' });
    expect(error).toMatchObject({ code: -32602, data: { sessionId: 'unknown-1' } });
    expect(served).not.toHaveBeenCalled();
  });

  test.each([{}, { sessionId: null }, { sessionId: 7 }, [], 'text', null, undefined])(
    'a file for %j is refused',
    async (params) => {
      served.mockClear();
      expect((await ask(client, 'fs/read_text_file', params)).error).toMatchObject({ code: -32602 });
      expect(served).not.toHaveBeenCalled();
    },
  );

  test('a question that belongs to a request of ours is asked', async () => {
    expect(await ask(client, 'elicitation/create', { requestId: 1, mode: 'form' })).toMatchObject({
      result: {},
    });
  });

  test('a method of its own is for extMethod to judge', async () => {
    expect(await ask(client, 'vendor/x', { sessionId: 'unknown-1' })).toMatchObject({ result: {} });
  });
});

describe('a permission for a tool call that was announced', () => {
  const announced = { toolCallId: 'c', title: 'Read a', kind: 'read' as const, status: 'pending' as const };

  test.each([
    ['nothing but its id', { toolCallId: 'c' }, announced],
    ['nulls', { toolCallId: 'c', title: null, kind: null }, announced],
    ['something else', { toolCallId: 'c', kind: 'edit' }, { ...announced, kind: 'edit' }],
    ['another one', { toolCallId: 'd', kind: 'edit' }, { toolCallId: 'd', title: '', kind: 'edit' }],
    ['no id', { kind: 'edit' }, undefined],
    ['nothing', undefined, undefined],
  ])('with %s', async (_what, toolCall, expected) => {
    const handler = vi.fn((_params: unknown, _context: ClientContext) => selected('no'));
    const agent = new FakeAgent({ client: { requestPermission: handler } });
    agent.toolCalls.set('c', announced);
    await agent.write(request('r', 'session/request_permission', { ...permission, toolCall }));
    expect((await agent.read())[0]?.result).toEqual(selected('no'));
    expect(handler.mock.calls[0]?.[1].toolCall).toEqual(expected);
    expect(handler.mock.calls[0]?.[0]).toEqual({ ...permission, toolCall });
  });
});

test('elicitation/complete goes to its handler, and to no other', async () => {
  const completeElicitation = vi.fn();
  const extNotification = vi.fn();
  const agent = new FakeAgent({ client: { completeElicitation, extNotification } });
  await agent.write({ jsonrpc: '2.0', method: 'elicitation/complete', params: { elicitationId: 'e' } });
  expect(completeElicitation.mock.calls).toEqual([[{ elicitationId: 'e' }]]);
  expect(extNotification).not.toHaveBeenCalled();
});

describe('extensions', () => {
  test('a request goes to extMethod with its name', async () => {
    const extMethod = vi.fn((method: string, params: unknown) => ({ method, params }));
    const answer = await ask({ extMethod }, 'vendor/x', { sessionId: 's', a: 1 });
    expect(answer.result).toEqual({ method: 'vendor/x', params: { sessionId: 's', a: 1 } });
  });

  test('one that extMethod does not know is not found', async () => {
    expect((await ask({ extMethod: () => undefined }, 'vendor/x', {})).error).toMatchObject({ code: -32601 });
  });

  test('a result of null is a result', async () => {
    expect(await ask({ extMethod: () => null }, 'vendor/x', {})).not.toHaveProperty('error');
  });

  test('a notification goes to extNotification, and what that throws is told here', async () => {
    const seen: unknown[] = [];
    const agent = new FakeAgent({
      client: {
        extNotification: (method, params) => {
          seen.push([method, params]);
          throw new Error('broken');
        },
      },
    });
    await agent.write({ jsonrpc: '2.0', method: 'vendor/told', params: { a: 1 } });
    expect(seen).toEqual([['vendor/told', { a: 1 }]]);
    expect(agent.log).toEqual(['handler of vendor/told failed: Error: broken']);
    expect(await agent.read()).toEqual([]);
  });
});

describe('while a turn is being ended', () => {
  test.each([
    ['session/request_permission', permission, cancelled],
    ['elicitation/create', { sessionId: 's' }, { action: 'cancel' }],
  ])('B41 %s is answered at once, and nobody is asked', async (method, params, expected) => {
    const decide = vi.fn();
    const agent = new FakeAgent({ client: { requestPermission: decide, createElicitation: decide } });
    agent.ending.add('s');
    await agent.write(request(1, method, params));
    expect(await agent.read()).toEqual([{ jsonrpc: '2.0', id: 1, result: expected }]);
    expect(decide).not.toHaveBeenCalled();
  });

  test('what an agent needs to clean up is served', async () => {
    const agent = new FakeAgent({ client: { releaseTerminal: () => ({}) } });
    agent.ending.add('s');
    await agent.write(request(1, 'terminal/release', { sessionId: 's', terminalId: 't' }));
    expect(await agent.read()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });
});

describe('a question about a request of ours', () => {
  const question = (id: number, requestId: unknown) =>
    request(id, 'elicitation/create', { requestId, mode: 'form' });

  test('belongs to the session of that request, and ends with its turn', async () => {
    const asked: ClientContext[] = [];
    const think = (_params: unknown, context: ClientContext) => {
      asked.push(context);
      return deferred<never>().promise;
    };
    const agent = new FakeAgent({ client: { createElicitation: think } });
    const prompt = {
      phase: 'prompt',
      method: 'session/prompt',
      params: { sessionId: 's' },
      timeoutMs: 0,
    } as const;
    void agent.wire.request(prompt).catch(() => undefined);
    await agent.read();
    await agent.write(question(1, 0), question(2, 'unknown'));
    expect(asked.map(({ sessionId }) => sessionId)).toEqual(['s', undefined]);
    agent.clientRequests.cancel('s');
    expect(await agent.read()).toEqual([{ jsonrpc: '2.0', id: 1, result: { action: 'cancel' } }]);
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    agent.wire.close();
  });
});

describe('B41 when the answer is no longer wanted', () => {
  /** A client that thinks for ever about everything, and an agent that asked for all of it. */
  async function waiting() {
    const gate = deferred<never>();
    const signals: AbortSignal[] = [];
    const think = (_params: unknown, context: ClientContext) => {
      signals.push(context.signal);
      return gate.promise;
    };
    const agent: FakeAgent = new FakeAgent({
      client: { requestPermission: think, readTextFile: think, createElicitation: think },
    });
    await agent.write(
      request(1, 'session/request_permission', permission),
      request(2, 'fs/read_text_file', { sessionId: 's', path: '/a' }),
      request(3, 'elicitation/create', { sessionId: 's' }),
      request(4, 'session/request_permission', { ...permission, sessionId: 'other' }),
    );
    return { agent, gate, signals };
  }

  test('the agent takes a request back', async () => {
    const { agent, signals } = await waiting();
    await agent.write({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 2 } });
    expect(signals.map((signal) => signal.aborted)).toEqual([false, true, false, false]);
    expect(await agent.read()).toMatchObject([{ id: 2, error: { code: -32800 } }]);
    agent.wire.close();
  });

  test('the agent has gone: every handler hears of it, and a late answer is dropped', async () => {
    const { agent, gate, signals } = await waiting();
    agent.wire.close();
    await settle();
    expect(signals.every((signal) => signal.aborted)).toBe(true);
    gate.reject(new Error('too late'));
    await settle();
    expect(agent.log.filter((line) => line.includes('failed'))).toEqual([]);
  });

  test('a session is cancelled: its requests are answered at once and once, those of others wait on', async () => {
    const open: string[] = [];
    const gates: { resolve: (value: never) => void }[] = [];
    const requests: ClientRequests = new ClientRequests(
      {
        requestPermission: () => {
          const gate = deferred<never>();
          gates.push(gate);
          return gate.promise;
        },
      },
      {
        servesSession: () => true,
        isEnding: () => false,
        sessionOfRequest: () => undefined,
        toolCall: () => undefined,
        onOpenRequestsChange: (id) => open.push(`${id} ${requests.openRequests(id)}`),
        onPermission: (_request, response) => open.push(JSON.stringify(response)),
        onHandlerError: () => undefined,
      },
    );
    const agent: FakeAgent = new FakeAgent({ clientRequests: requests });
    await agent.write(
      request(1, 'session/request_permission', permission),
      request(2, 'session/request_permission', { ...permission, sessionId: 'other' }),
    );
    requests.cancel('s');
    requests.cancel('s');
    expect(await agent.read()).toEqual([{ jsonrpc: '2.0', id: 1, result: cancelled }]);
    for (const gate of gates) gate.resolve(selected('yes') as never);
    expect(await agent.read()).toEqual([{ jsonrpc: '2.0', id: 2, result: selected('yes') }]);
    expect(open).toEqual([
      's 1',
      'other 1',
      JSON.stringify(cancelled),
      's 0',
      JSON.stringify(selected('yes')),
      'other 0',
    ]);
  });
});
