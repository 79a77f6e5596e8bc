import { expect, test } from 'vitest';
import { terminalEnvironment } from '../../../src/client/terminal-environment.ts';

test('B63 nothing of the host but what a command needs', () => {
  const host = {
    PATH: '/bin',
    HOME: '/home/me',
    LANG: 'C.UTF-8',
    LC_ALL: 'C',
    TMPDIR: '/tmp',
    Path: 'C:\\bin',
    DATABASE_URL: 'secret',
    AWS_SECRET_ACCESS_KEY: 'secret',
    ANTHROPIC_API_KEY: 'secret',
    CLAUDECODE: '1',
    NODE_OPTIONS: '--inspect',
    LCX: 'x',
    UNSET: undefined,
  };
  expect(terminalEnvironment(host)).toEqual({
    PATH: '/bin',
    HOME: '/home/me',
    LANG: 'C.UTF-8',
    LC_ALL: 'C',
    TMPDIR: '/tmp',
    Path: 'C:\\bin',
  });
});

test('later layers win, and undefined takes a variable away', () => {
  const layers = [{ PATH: '/opt', A: '1', HOME: undefined }, { A: '2', __proto__x: 'kept' }, { LEASE: 'x' }];
  expect(terminalEnvironment({ PATH: '/bin', HOME: '/h', TZ: 'UTC' }, ...layers)).toEqual({
    PATH: '/opt',
    TZ: 'UTC',
    A: '2',
    __proto__x: 'kept',
    LEASE: 'x',
  });
});
