import { PassThrough, Writable } from 'node:stream';
import type { AnyMessage } from '@agentclientprotocol/sdk';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { NdjsonStream, type NdjsonListeners } from '../../../src/wire/ndjson-stream.ts';

let stdin: PassThrough;
let stdout: PassThrough;
let log: string[];
let listeners: NdjsonListeners;
let lines: NdjsonStream;
let toSdk: AnyMessage[];

const update = (name: string) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's', update: { sessionUpdate: 'x', name } },
});
const response = (id: unknown, result: unknown = {}) => ({ jsonrpc: '2.0', id, result });

/** Lets the streams pass on what they hold. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

function connect(maxLineBytes = 1_000_000): NdjsonStream {
  lines = new NdjsonStream(stdin, stdout, maxLineBytes, listeners);
  toSdk = [];
  void (async () => {
    for await (const message of lines.stream.readable) toSdk.push(message);
  })();
  return lines;
}

async function receive(...messages: unknown[]): Promise<void> {
  const text = messages.map((message) => (typeof message === 'string' ? message : JSON.stringify(message)));
  stdout.write(`${text.join('\n')}\n`);
  await settle();
}

async function send(message: object): Promise<void> {
  const writer = lines.stream.writable.getWriter();
  await writer.write(message as AnyMessage);
  writer.releaseLock();
}

const written = () => {
  const chunk = stdin.read() as Buffer | null;
  const text = chunk === null ? '' : chunk.toString();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
};

beforeEach(() => {
  stdin = new PassThrough();
  stdout = new PassThrough();
  log = [];
  listeners = {
    onUpdate: ({ update: value }, size) => log.push(`update ${String(value['name' as never])} ${size > 0}`),
    onNotification: (method) => log.push(`notification ${method}`),
    onNoise: (line, reason) => log.push(`noise ${reason} ${line.slice(0, 20)}`),
    onPendingChange: () => undefined,
    onEnd: () => log.push('end'),
    onLineTooLong: () => log.push('too long'),
  };
});

describe('what the agent sends', () => {
  test('updates, notifications and noise never reach the SDK; requests and responses do', async () => {
    connect();
    await send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} });
    const request = { jsonrpc: '2.0', id: 'a', method: 'fs/read_text_file', params: {} };
    await receive(
      update('one'),
      { jsonrpc: '2.0', method: 'vendor/x' },
      'noise',
      request,
      response(0),
      update('two'),
    );
    expect(log).toEqual([
      'update one true',
      'notification vendor/x',
      'noise not-json noise',
      'update two true',
    ]);
    expect(toSdk).toEqual([request, response(0)]);
  });

  test('B27 a response is told before anything that follows it in the same chunk', async () => {
    connect();
    const params = {};
    lines.onResponseTo(params, (answer) => log.push(`response ${String(answer.id)}`));
    await send({ jsonrpc: '2.0', id: 7, method: 'session/new', params });
    await receive(update('early'), response(7), update('late'));
    expect(log).toEqual(['update early true', 'response 7', 'update late true']);
  });

  test.each([
    ['0', 0],
    ['7', 7],
  ])('an id of %j is taken for the request %j', async (id, requestId) => {
    connect();
    await send({ jsonrpc: '2.0', id: requestId, method: 'm', params: {} });
    await receive(response(id));
    expect(toSdk).toEqual([response(requestId)]);
    expect(lines.pendingRequests()).toEqual([]);
  });

  test.each(['', ' ', '0x0', '00', 'a', 1, null])(
    'an id of %j is not taken for the request 0',
    async (id) => {
      connect();
      await send({ jsonrpc: '2.0', id: 0, method: 'm', params: {} });
      await receive(response(id));
      expect(toSdk).toEqual([]);
      expect(log).toHaveLength(1);
      expect(lines.pendingRequests()).toHaveLength(1);
    },
  );

  test('a response that comes twice is noise the second time', async () => {
    connect();
    await send({ jsonrpc: '2.0', id: 0, method: 'm', params: {} });
    await receive(response(0), response(0));
    expect(toSdk).toHaveLength(1);
    expect(log).toEqual([expect.stringContaining('noise unknown-response')]);
  });

  test('a line that passes the limit is told, and nothing after it', async () => {
    connect(200);
    await receive(update('one'), 'x'.repeat(201), update('two'));
    expect(log).toEqual(['update one true', 'too long']);
  });

  test.each(['end', 'destroy'] as const)('the %s of stdout is told once', async (way) => {
    connect();
    stdout[way]();
    await settle();
    await settle();
    expect(log).toEqual(['end']);
  });

  test('the last line counts without a line end', async () => {
    connect();
    stdout.end(JSON.stringify(update('last')));
    await settle();
    await settle();
    expect(log).toEqual(['update last true', 'end']);
  });
});

describe('what is sent', () => {
  test('goes out as lines, in order', async () => {
    connect();
    const messages = [
      { jsonrpc: '2.0', id: 0, method: 'a', params: { text: '中\n' } },
      { jsonrpc: '2.0', method: 'b', params: {} },
      { jsonrpc: '2.0', id: 'x', result: null },
    ];
    for (const message of messages) await send(message);
    expect(written()).toEqual(messages);
  });

  test('X11 is known as pending although the pipe takes nothing', async () => {
    const taken: string[] = [];
    const blocked = new Writable({
      write: (chunk: Buffer) => {
        // Never done.
        taken.push(chunk.toString());
      },
    });
    lines = new NdjsonStream(blocked, stdout, 1_000, listeners);
    await send({ jsonrpc: '2.0', id: 0, method: 'a', params: {} });
    await send({ jsonrpc: '2.0', id: 1, method: 'b', params: {} });
    expect(lines.pendingRequests().map(({ method }) => method)).toEqual(['a', 'b']);
    expect(taken).toHaveLength(1);
  });

  test('B50 is dropped when the pipe has gone', async () => {
    connect();
    stdin.destroy();
    await settle();
    await send({ jsonrpc: '2.0', method: 'a' });
    await send({ jsonrpc: '2.0', id: 0, method: 'b', params: {} });
    expect(lines.pendingRequests()).toHaveLength(1);
  });

  describe('though JSON can not hold it', () => {
    const circular: { self?: object } = {};
    circular.self = circular;

    test.each([
      ['a circle', circular],
      ['a bigint', { value: 1n }],
    ])('fails the one request that holds %s', async (_what, params) => {
      connect();
      await send({ jsonrpc: '2.0', id: 0, method: 'a', params });
      await settle();
      expect(toSdk).toMatchObject([{ id: 0, error: { code: -32603 } }]);
      expect(lines.pendingRequests()).toEqual([]);
      await send({ jsonrpc: '2.0', id: 1, method: 'b', params: {} });
      expect(written()).toMatchObject([{ id: 1 }]);
    });

    test('answers the agent with an error', async () => {
      connect();
      await send({ jsonrpc: '2.0', id: 'x', result: circular });
      expect(written()).toMatchObject([{ id: 'x', error: { code: -32603 } }]);
    });

    test('drops the notification', async () => {
      connect();
      await send({ jsonrpc: '2.0', method: 'a', params: circular });
      expect(written()).toEqual([]);
    });
  });
});

describe('a request that was given up', () => {
  test('is settled for the SDK, waits for nothing, and its late answer is noise', async () => {
    connect();
    const params = {};
    lines.onResponseTo(params, () => log.push('response'));
    await send({ jsonrpc: '2.0', id: 0, method: 'a', params });
    lines.giveUp(params);
    await settle();
    expect(toSdk).toMatchObject([{ id: 0, error: { code: -32800 } }]);
    expect(lines.pendingRequests()).toEqual([]);
    await receive(response(0));
    expect(toSdk).toHaveLength(1);
    expect(log).toEqual([expect.stringContaining('noise unknown-response')]);
  });

  test('is not sent when it was not sent yet', async () => {
    connect();
    const params = {};
    lines.giveUp(params);
    await send({ jsonrpc: '2.0', id: 0, method: 'a', params });
    await settle();
    expect(written()).toEqual([]);
    expect(toSdk).toMatchObject([{ id: 0, error: { code: -32800 } }]);
  });
});

test('each change of what is pending is told', async () => {
  let pending: number[] = [];
  listeners.onPendingChange = () => pending.push(lines.pendingRequests().length);
  connect();
  const params = {};
  await send({ jsonrpc: '2.0', id: 0, method: 'a', params: {} });
  await send({ jsonrpc: '2.0', id: 1, method: 'b', params });
  await receive(response(0));
  lines.giveUp(params);
  expect(pending).toEqual([1, 2, 1, 0]);
  pending = [];
  await send({ jsonrpc: '2.0', method: 'c', params });
  expect(pending).toEqual([]);
});

describe('the log of lines', () => {
  test('holds every line as it is, blank ones left out', async () => {
    const logged: string[] = [];
    listeners.onLine = (direction, line) => logged.push(`${direction} ${line}`);
    connect();
    await send({ jsonrpc: '2.0', method: 'a' });
    await receive('', ' noise ', '\r');
    expect(logged).toEqual(['sent {"jsonrpc":"2.0","method":"a"}', 'received  noise ']);
  });

  test('that throws does not stop anything', async () => {
    listeners.onLine = () => {
      throw new Error('disk full');
    };
    connect();
    await send({ jsonrpc: '2.0', id: 0, method: 'a', params: {} });
    await receive(update('one'));
    expect(written()).toHaveLength(1);
    expect(log).toEqual(['update one true']);
  });
});

describe('detach', () => {
  test('delivers and sends nothing more, lets the agent write on, and leaves no listener', async () => {
    const before = new Map(stdout.eventNames().map((name) => [name, stdout.listenerCount(name)]));
    connect();
    await send({ jsonrpc: '2.0', id: 0, method: 'a', params: {} });
    written();
    lines.pause();
    lines.detach();
    lines.detach();
    const after = new Map(
      stdout
        .eventNames()
        .filter((name) => stdout.listenerCount(name) > 0)
        .map((name) => [name, stdout.listenerCount(name)]),
    );
    expect(after).toEqual(before);
    await receive(update('one'), response(0), 'noise');
    await send({ jsonrpc: '2.0', method: 'b' });
    stdout.end();
    await settle();
    expect(log).toEqual([]);
    expect(written()).toEqual([]);
    expect(stdout.readableLength).toBe(0);
  });

  test('within a listener delivers nothing more of the same chunk', async () => {
    const onUpdate = vi.fn(() => lines.detach());
    listeners.onUpdate = onUpdate;
    connect();
    await receive(update('one'), update('two'));
    expect(onUpdate).toHaveBeenCalledTimes(1);
  });
});
