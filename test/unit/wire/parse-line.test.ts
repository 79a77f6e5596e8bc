import { describe, expect, test } from 'vitest';
import { parseLine } from '../../../src/wire/parse-line.ts';

const notification = { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk' } };
const update = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: notification });
const response = '{"jsonrpc":"2.0","id":1,"result":{"a":1}}';
const parsedResponse = { kind: 'response', message: { jsonrpc: '2.0', id: 1, result: { a: 1 } } };

describe('messages', () => {
  test('an update', () => {
    expect(parseLine(update)).toEqual({ kind: 'update', notification });
  });

  test('B31 an update of a kind that nobody knows, with nulls in it', () => {
    const params = { sessionId: 's', update: { sessionUpdate: 'dreams', used: null }, _meta: null };
    const line = JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params });
    expect(parseLine(line)).toEqual({ kind: 'update', notification: params });
  });

  test('another notification, also with an id of null', () => {
    expect(parseLine('{"jsonrpc":"2.0","method":"vendor/x","params":{"a":1}}')).toEqual({
      kind: 'notification',
      method: 'vendor/x',
      params: { a: 1 },
    });
    expect(parseLine('{"jsonrpc":"2.0","id":null,"method":"vendor/x"}')).toMatchObject({
      kind: 'notification',
    });
  });

  test('a request, with an id of either kind', () => {
    for (const id of [0, 7, 'x', '']) {
      const message = { jsonrpc: '2.0', id, method: 'fs/read_text_file', params: { path: '/a' } };
      expect(parseLine(JSON.stringify(message))).toEqual({ kind: 'request', message });
    }
  });

  test('a request that is taken back', () => {
    expect(parseLine('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":3}}')).toEqual({
      kind: 'cancel-request',
      message: { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 3 } },
    });
  });

  test('a response', () => {
    expect(parseLine(response)).toEqual(parsedResponse);
  });
});

describe('what is mended', () => {
  test.each([
    ['a missing jsonrpc', '{"id":1,"result":{"a":1}}'],
    ['another jsonrpc', '{"jsonrpc":"1.0","id":1,"result":{"a":1}}'],
    ['error: null beside a result', '{"jsonrpc":"2.0","id":1,"result":{"a":1},"error":null}'],
    ['a carriage return', `${response}\r`],
    ['a byte order mark', `\ufeff${response}`],
    ['blanks and control characters', ` \t\u0000\u0007${response}\u0000 \t\u001f`],
    ['colours', `\u001b[32m\u001b[1m${response}\u001b[0m`],
    ['a window title', `\u001b]0;my agent\u0007\u001b]2;again\u001b\\${response}\u001b[?25h`],
    ['a cleared line', `\u001b[2K\r${response}\u001bM`],
  ])('%s', (_what, line) => {
    expect(parseLine(line)).toEqual(parsedResponse);
  });

  test('a request and an update without jsonrpc', () => {
    expect(parseLine('{"id":1,"method":"x","params":{}}')).toEqual({
      kind: 'request',
      message: { jsonrpc: '2.0', id: 1, method: 'x', params: {} },
    });
    expect(parseLine(JSON.stringify({ method: 'session/update', params: notification }))).toEqual({
      kind: 'update',
      notification,
    });
  });

  test('a response without a result is null', () => {
    for (const line of [
      '{"jsonrpc":"2.0","id":1}',
      '{"jsonrpc":"2.0","id":1,"error":null}',
      '{"jsonrpc":"2.0","id":1,"result":null}',
    ]) {
      expect(parseLine(line)).toEqual({
        kind: 'response',
        message: { jsonrpc: '2.0', id: 1, result: null },
      });
    }
  });

  test.each([
    ['in order', { code: -32002, message: 'm', data: { a: 1 } }],
    ['without data', { code: 401, message: 'm' }],
  ])('an error %s passes as it is', (_what, error) => {
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, error });
    expect(parseLine(line)).toEqual({ kind: 'response', message: { jsonrpc: '2.0', id: 1, error } });
  });

  test.each([
    ['a text', 'broken', { code: -32603, message: 'broken' }],
    ['a number', 7, { code: -32603, message: '7' }],
    ['no code', { message: 'm' }, { code: -32603, message: 'm', data: { message: 'm' } }],
    [
      'a code that is a text',
      { code: 'ECONNREFUSED', message: 'm' },
      { code: -32603, message: 'm', data: { code: 'ECONNREFUSED', message: 'm' } },
    ],
    [
      'a code that is no whole number',
      { code: 1.5, message: 'm', data: 'd' },
      { code: -32603, message: 'm', data: 'd' },
    ],
    ['no message', { code: 3 }, { code: 3, message: 'Internal error', data: { code: 3 } }],
    [
      'fields of its own',
      { error: 'broken' },
      { code: -32603, message: 'Internal error', data: { error: 'broken' } },
    ],
    ['a list', ['broken'], { code: -32603, message: 'Internal error', data: ['broken'] }],
  ])('B72 an error that is %s keeps all that it says', (_what, error, expected) => {
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, error });
    expect(parseLine(line)).toEqual({
      kind: 'response',
      message: { jsonrpc: '2.0', id: 1, error: expected },
    });
  });
});

describe('B51 noise', () => {
  test.each([
    ['nothing', '', 'blank'],
    ['blanks', ' \t\r', 'blank'],
    ['only colours', '\u001b[0m\u001b[2K', 'blank'],
    ['a text', 'Listening on stdin', 'not-json'],
    ['a level in brackets', '[info] started', 'not-json'],
    ['half a message', '{"jsonrpc":"2.0","id":1,"resu', 'not-json'],
    ['a message with a text behind it', `${response} done`, 'not-json'],
    ['a text before a message', `> ${response}`, 'not-json'],
    ['two messages on one line', `${response}${response}`, 'not-json'],
    ['a number', '42', 'not-json-rpc'],
    ['null', 'null', 'not-json-rpc'],
    ['a text in quotes', '"ready"', 'not-json-rpc'],
    ['an object', '{"level":"info","text":"started"}', 'not-json-rpc'],
    ['an empty object', '{}', 'not-json-rpc'],
    ['a batch', `[${response}]`, 'batch'],
    ['an empty batch', '[]', 'batch'],
    [
      'an answer to nobody',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}',
      'not-json-rpc',
    ],
    ['an answer without an id', '{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}', 'not-json-rpc'],
    ['an id of another kind', '{"jsonrpc":"2.0","id":{"a":1},"result":{}}', 'not-json-rpc'],
    ['a method of another kind', '{"jsonrpc":"2.0","id":1,"method":7}', 'not-json-rpc'],
    ["a logger's line with an id", '{"id":1,"level":"info","text":"started"}', 'not-json-rpc'],
    ["a logger's line of a request", '{"id":"r-1","method":"GET","url":"/health"}', 'not-json-rpc'],
    [
      'an update without a session',
      '{"jsonrpc":"2.0","method":"session/update","params":{"update":{}}}',
      'not-json-rpc',
    ],
    [
      'an update that holds none',
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s"}}',
      'not-json-rpc',
    ],
    [
      'an update that is a list',
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":[]}}',
      'not-json-rpc',
    ],
    ['an update without params', '{"jsonrpc":"2.0","method":"session/update"}', 'not-json-rpc'],
  ])('%s', (_what, line, reason) => {
    expect(parseLine(line)).toEqual({ kind: 'noise', reason });
  });

  test.each([
    ['blanks', (length: number) => ' '.repeat(length)],
    ['blanks behind a brace', (length: number) => `{${' '.repeat(length)}x`],
    ['colours', (length: number) => '\u001b[0m'.repeat(length / 4)],
    ['half titles', (length: number) => '\u001b]'.repeat(length / 2)],
    ['braces', (length: number) => '{'.repeat(length)],
  ])('B58 a line of 30 MB of %s is told without an exception', (_what, line) => {
    expect(parseLine(line(30_000_000)).kind).toBe('noise');
  });
});

test('a message can not reach the prototype of anything', () => {
  const line = '{"jsonrpc":"2.0","id":1,"result":{"__proto__":{"polluted":true}},"__proto__":{"method":"x"}}';
  expect(parseLine(line).kind).toBe('response');
  expect({}).not.toHaveProperty('polluted');
});
