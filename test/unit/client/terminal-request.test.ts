import { describe, expect, test } from 'vitest';
import { ClientRequestError } from '../../../src/client/client-request-error.ts';
import { isCommandLine, readTerminalCommand } from '../../../src/client/terminal-request.ts';

describe('readTerminalCommand', () => {
  test.each<[object, object]>([
    [{ command: 'ls' }, { command: 'ls', args: [], env: {}, outputByteLimit: undefined }],
    [
      { command: 'ls', args: null, env: null, outputByteLimit: null },
      { command: 'ls', args: [], env: {}, outputByteLimit: undefined },
    ],
    [
      { command: 'ls', args: ['-l', ''], env: [{ name: 'A', value: '' }], outputByteLimit: 0 },
      { command: 'ls', args: ['-l', ''], env: { A: '' }, outputByteLimit: 0 },
    ],
    [
      {
        command: 'ls',
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      },
      { command: 'ls', args: [], env: { A: '2' }, outputByteLimit: undefined },
    ],
  ])('reads %j', (params, expected) => {
    expect(readTerminalCommand(params)).toEqual(expected);
  });

  test.each<[object, string]>([
    [{}, 'command'],
    [{ command: '' }, 'command'],
    [{ command: 3 }, 'command'],
    [{ command: 'a\0b' }, 'command'],
    [{ command: 'a', args: 'b' }, 'args'],
    [{ command: 'a', args: ['b', 3] }, 'args[1]'],
    [{ command: 'a', args: ['\0'] }, 'args[0]'],
    [{ command: 'a', env: { A: '1' } }, 'env'],
    [{ command: 'a', env: [null] }, 'env[0].name'],
    [{ command: 'a', env: ['A=1'] }, 'env[0].name'],
    [{ command: 'a', env: [{ name: '', value: '' }] }, 'env[0].name'],
    [{ command: 'a', env: [{ name: 'A=B', value: '' }] }, 'env[0].name'],
    [{ command: 'a', env: [{ name: 'A' }] }, 'env[0].value'],
    [{ command: 'a', env: [{ name: 'A', value: 1 }] }, 'env[0].value'],
    [{ command: 'a', outputByteLimit: -1 }, 'outputByteLimit'],
    [{ command: 'a', outputByteLimit: '9' }, 'outputByteLimit'],
  ])('refuses %j and names %s', (params, field) => {
    const read = () => readTerminalCommand(params);
    expect(read).toThrow(ClientRequestError);
    expect(read).toThrow(expect.objectContaining({ rpcCode: -32602 }) as Error);
    expect(read).toThrow(new RegExp(`^${field.replaceAll(/[[\].]/g, '\\$&')} `));
  });
});

test.each<[string, string[], boolean]>([
  ['ls', [], false],
  ['/usr/bin/node', [], false],
  ['ls -la', [], true],
  ['ls|wc', [], true],
  ['a&&b', [], true],
  ['a;b', [], true],
  ['echo>file', [], true],
  ['$SHELL', [], true],
  ['`a`', [], true],
  ['cd x\nls', [], true],
  ['/a dir/tool', ['--flag'], false],
  ['ls -la', [''], false],
])('isCommandLine(%j, %j): %s', (command, args, expected) => {
  expect(isCommandLine({ command, args })).toBe(expected);
});
