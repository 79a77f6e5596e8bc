import { describe, expect, it } from 'vitest';
import { commandCandidates, type FileState, resolveCommand } from '../../../src/process/resolve-command.ts';

const machine = (platform: NodeJS.Platform, files: Record<string, FileState>) => ({
  platform,
  fileState: (file: string) => Promise.resolve(files[file] ?? 'missing'),
});

describe('commandCandidates', () => {
  it.each<[string, string, Record<string, string>, string[]]>([
    ['a name', 'agent', { PATH: '/a:/b' }, ['/a/agent', '/b/agent']],
    ['an empty entry is the cwd', 'agent', { PATH: '/a::rel' }, ['/a/agent', '/cwd/agent', '/cwd/rel/agent']],
    ['without PATH', 'agent', {}, ['/bin/agent', '/usr/bin/agent']],
    ['an absolute path', '/opt/agent', { PATH: '/a' }, ['/opt/agent']],
    ['a relative path', 'bin/agent', { PATH: '/a' }, ['/cwd/bin/agent']],
    ['nothing', '', { PATH: '/a' }, []],
  ])('%s', (_, command, env, candidates) => {
    expect(commandCandidates({ command, cwd: '/cwd', env }, 'linux')).toEqual(candidates);
  });

  it.each<[string, string, Record<string, string>, string[]]>([
    [
      'a name, PATH in any case (X13)',
      'npx',
      { Path: 'C:\\node;D:\\bin', PathExt: '.EXE;.CMD' },
      [
        'W:\\npx.exe',
        'W:\\npx.cmd',
        'C:\\node\\npx.exe',
        'C:\\node\\npx.cmd',
        'D:\\bin\\npx.exe',
        'D:\\bin\\npx.cmd',
      ],
    ],
    [
      'an extension',
      'a.cmd',
      { PATH: 'C:\\n', PATHEXT: '.CMD' },
      ['W:\\a.cmd', 'W:\\a.cmd.cmd', 'C:\\n\\a.cmd', 'C:\\n\\a.cmd.cmd'],
    ],
    ['a path', 'bin\\a', { PATH: 'C:\\n', PATHEXT: '.EXE' }, ['W:\\bin\\a.exe']],
  ])('on Windows: %s', (_, command, env, candidates) => {
    expect(commandCandidates({ command, cwd: 'W:\\', env }, 'win32')).toEqual(candidates);
  });
});

describe('resolveCommand', () => {
  const request = { command: 'agent', cwd: '/cwd', env: { PATH: '/a:/b:/c' } };

  it('takes the first that may be executed, as the system does', async () => {
    const linux = machine('linux', {
      '/a/agent': 'not-executable',
      '/b/agent': 'executable',
      '/c/agent': 'executable',
    });
    expect(await resolveCommand(request, linux)).toEqual({ kind: 'found', path: '/b/agent' });
  });

  it('names the first that may not', async () => {
    const linux = machine('linux', { '/b/agent': 'directory', '/c/agent': 'not-executable' });
    expect(await resolveCommand(request, linux)).toEqual({ kind: 'directory', path: '/b/agent' });
  });

  it('says when there is none', async () => {
    expect(await resolveCommand(request, machine('linux', {}))).toEqual({ kind: 'missing' });
  });

  it('uses the PATH of the agent, not that of the host', async () => {
    const sh = { command: 'sh', cwd: '/' };
    expect(await resolveCommand({ ...sh, env: { PATH: '/bin' } })).toEqual({
      kind: 'found',
      path: '/bin/sh',
    });
    expect(await resolveCommand({ ...sh, env: { PATH: '/nowhere' } })).toEqual({ kind: 'missing' });
  });
});
