import { describe, expect, it } from 'vitest';
import { type SpawnFacts, spawnProblem } from '../../../src/process/spawn-problem.ts';

const wellFound: SpawnFacts = {
  command: 'agent',
  cwd: '/project',
  systemCode: 'ENOENT',
  systemMessage: 'spawn agent ENOENT',
  cwdState: 'usable',
  lookup: { kind: 'found', path: '/bin/agent' },
  hasPath: true,
  interpreter: { name: '/usr/bin/env', state: 'executable' },
};

describe('spawnProblem (B02)', () => {
  it.each<[string, Partial<SpawnFacts>, string, RegExp]>([
    ['cwd missing', { cwdState: 'missing' }, 'cwd-missing', /directory \/project does not exist/],
    [
      'cwd and command missing',
      { cwdState: 'missing', lookup: { kind: 'missing' } },
      'cwd-missing',
      /\/project/,
    ],
    ['cwd a file', { systemCode: 'ENOTDIR', cwdState: 'not-directory' }, 'cwd-missing', /is not a directory/],
    ['cwd closed', { systemCode: 'EACCES', cwdState: 'not-enterable' }, 'spawn-failed', /may not be entered/],
    [
      'command missing',
      { lookup: { kind: 'missing' } },
      'command-missing',
      /not found on the PATH that the agent/,
    ],
    [
      'no PATH',
      { lookup: { kind: 'missing' }, hasPath: false },
      'command-missing',
      /environment has no PATH/,
    ],
    [
      'file missing',
      { command: './a', lookup: { kind: 'missing' } },
      'command-missing',
      /there is no such file/,
    ],
    [
      'a directory',
      { systemCode: 'EACCES', lookup: { kind: 'directory', path: '/bin/agent' } },
      'command-not-executable',
      /\/bin\/agent is a directory/,
    ],
    [
      'no run bit',
      { systemCode: 'EACCES', lookup: { kind: 'not-executable', path: '/bin/agent' } },
      'command-not-executable',
      /\/bin\/agent may not be executed/,
    ],
    [
      'interpreter missing',
      { interpreter: { name: '/opt/node', state: 'missing' } },
      'interpreter-missing',
      /the interpreter \/opt\/node of \/bin\/agent does not exist$/,
    ],
    [
      'Windows line ends',
      { interpreter: { name: '/bin/sh\r', state: 'missing' } },
      'interpreter-missing',
      /the interpreter \/bin\/sh of \/bin\/agent does not exist \(the file has Windows line ends\)/,
    ],
    [
      'interpreter without run bit',
      { systemCode: 'EACCES', interpreter: { name: '/opt/node', state: 'not-executable' } },
      'command-not-executable',
      /interpreter \/opt\/node .* may not be executed/,
    ],
    ['loader missing', { interpreter: undefined }, 'interpreter-missing', /another system or C library/],
    ['nothing wrong any more', {}, 'spawn-failed', /spawn agent ENOENT/],
    [
      'EACCES for no visible reason',
      { systemCode: 'EACCES', interpreter: undefined },
      'spawn-failed',
      /ENOENT/,
    ],
    ['no system error', { systemCode: undefined, systemMessage: 'odd' }, 'spawn-failed', /agent: odd/],
  ])('%s', (_, facts, code, message) => {
    const problem = spawnProblem({ ...wellFound, ...facts });
    expect(problem.code).toBe(code);
    expect(problem.message).toMatch(message);
  });

  it.each([
    ...([
      ['EAGAIN', true],
      ['EMFILE', true],
      ['ENFILE', true],
      ['ENOMEM', true],
      ['ETXTBSY', true],
    ] as const),
    ...([
      ['E2BIG', false],
      ['ENAMETOOLONG', false],
      ['ENOEXEC', false],
      ['EPERM', false],
    ] as const),
  ])('%s is not blamed on the command or the cwd (X01)', (systemCode, retryable) => {
    const problem = spawnProblem({
      ...wellFound,
      systemCode,
      cwdState: 'missing',
      lookup: { kind: 'missing' },
    });
    expect(problem).toMatchObject({ code: 'spawn-failed', retryable });
    expect(problem.message).toContain(systemCode);
  });
});
