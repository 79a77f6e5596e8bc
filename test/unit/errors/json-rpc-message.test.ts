import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeRpcError } from '../../../src/errors/json-rpc-message.ts';

const internal = (data?: unknown) => ({ code: -32603, message: 'Internal error', data });

describe('describeRpcError (B72)', () => {
  it.each<[string, { code: number; message: string; data?: unknown }, string]>([
    ['data is a text', internal('Session not found: s1'), 'Internal error: Session not found: s1'],
    ['data.details', internal({ details: 'no rollout found' }), 'Internal error: no rollout found'],
    ['data.message', internal({ message: 'boom' }), 'Internal error: boom'],
    ['data.error.message', internal({ error: { message: 'boom' } }), 'Internal error: boom'],
    [
      'nested under generic texts',
      internal({ message: 'Internal error', cause: { details: 'boom' } }),
      'Internal error: boom',
    ],
    ['an array', internal(['one', { message: 'two' }, 'one']), 'Internal error: one; two'],
    [
      'data.errors',
      internal({ errors: [{ message: 'one' }, { message: 'two' }] }),
      'Internal error: one; two',
    ],
    [
      'fields only',
      internal({ service: 'session', attempt: 2 }),
      'Internal error (service: session, attempt: 2)',
    ],
    ['a number', internal(7), 'Internal error (data: 7)'],
    ['empty data', internal({}), 'Internal error'],
    ['no data', internal(), 'Internal error'],
    ['null data', internal(null), 'Internal error'],
    ['a stringified object', internal('[object Object]'), 'Internal error'],
    ['message from an object', { code: 1, message: '[object Object]', data: { details: 'x' } }, 'x'],
    ['message undefined', { code: 1, message: 'undefined' }, 'error without a message'],
    ['message empty', { code: 1, message: '', data: { uri: 'u' } }, 'error without a message (uri: u)'],
    [
      'the details repeat the message',
      { code: 1, message: 'Boom', data: { details: 'boom: disk full' } },
      'boom: disk full',
    ],
    [
      'the message holds the details',
      { code: 1, message: 'Failed: disk full', data: { details: 'disk full' } },
      'Failed: disk full',
    ],
    [
      'the message holds the fields',
      { code: -32002, message: 'Resource not found: session:s1', data: { uri: 'session:s1' } },
      'Resource not found: session:s1',
    ],
    [
      'the message lacks the fields',
      { code: -32002, message: 'Resource not found', data: { sessionId: 's1' } },
      'Resource not found (sessionId: s1)',
    ],
    [
      'a generic message with a dot',
      { code: 1, message: 'Invalid params.', data: 'cwd' },
      'Invalid params: cwd',
    ],
  ])('%s', (_, error, text) => {
    expect(describeRpcError(error)).toBe(text);
  });

  it.each([
    [
      'the last trouble',
      'starting\nError: quota is used up\n    at run (a.js:1:1)\n\nNode.js v20\n',
      'Internal error: Error: quota is used up',
    ],
    ['the last line', 'one\ntwo\n\n', 'Internal error: two'],
    ['nothing', '\n  \n', 'Internal error'],
  ])('reads stderr where message and data say nothing: %s', (_, stderr, text) => {
    expect(describeRpcError(internal({}), stderr)).toBe(text);
  });

  it('does not read stderr where the agent told the cause', () => {
    expect(describeRpcError(internal('boom'), 'Error: other')).toBe('Internal error: boom');
    expect(describeRpcError({ code: 1, message: 'boom' }, 'Error: other')).toBe('boom');
  });

  it('is readable and bounded for any data', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (message, data) => {
        const text = describeRpcError({ code: 1, message, data });
        expect(text).not.toBe('');
        expect(text.length).toBeLessThanOrEqual(2_001);
      }),
    );
    expect(describeRpcError(internal({ a: { b: 1 } }))).not.toContain('[object');
    expect(describeRpcError(internal('x'.repeat(100_000)))).toHaveLength(2_001);
  });

  it('does not fail on a message that is no text, as agents send it', () => {
    const error = JSON.parse('{"code":1,"message":{"text":"x"}}') as { code: number; message: string };
    expect(describeRpcError(error)).toBe('error without a message');
  });
});
