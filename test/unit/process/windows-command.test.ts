import { describe, expect, it } from 'vitest';
import type { FileState } from '../../../src/process/resolve-command.ts';
import { shimScript, windowsCommandLine } from '../../../src/process/windows-command.ts';

const npmShim = String.raw`@ECHO off
SETLOCAL
IF EXIST "%dp0%\node.exe" (
  SET "_prog=%dp0%\node.exe"
) ELSE (
  SET "_prog=node"
)
endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\node_modules\@scope\agent\dist\index.js" %*
`;
const pnpmShim = String.raw`@IF EXIST "%~dp0\node.exe" (
  "%~dp0\node.exe"  "%~dp0\..\agent\cli.mjs" %*
) ELSE (
  node  "%~dp0\..\agent\cli.mjs" %*
)`;
const npxShim = String.raw`SET "NODE_EXE=%~dp0\node.exe"
SET "NPM_PREFIX_JS=%~dp0\node_modules\npm\bin\npm-prefix.js"
SET "NPX_CLI_JS=%~dp0\node_modules\npm\bin\npx-cli.js"
"%NODE_EXE%" "%NPX_CLI_JS%" %*`;

describe('shimScript (X13)', () => {
  it.each([
    ['npm', npmShim, 'node_modules\\@scope\\agent\\dist\\index.js'],
    ['pnpm', pnpmShim, '..\\agent\\cli.mjs'],
    ['npx', npxShim, 'node_modules\\npm\\bin\\npx-cli.js'],
    ['a batch file', '@echo off\r\npython agent.py %*', undefined],
    ['a program', '"%~dp0\\agent.exe" %*', undefined],
    ['nothing', '', undefined],
  ])('%s', (_, shim, script) => {
    expect(shimScript(shim)).toBe(script);
  });
});

describe('windowsCommandLine (X13)', () => {
  const request = { command: 'agent', args: ['--acp', 'a "b"'], cwd: 'W:\\', env: { Path: 'C:\\npm' } };
  const machine = (files: Record<string, FileState>, texts: Record<string, string> = {}) => ({
    platform: 'win32' as const,
    fileState: (file: string) => Promise.resolve(files[file] ?? 'missing'),
    readText: (file: string) =>
      texts[file] === undefined ? Promise.reject(new Error('unreadable')) : Promise.resolve(texts[file]),
  });
  const script = 'C:\\npm\\node_modules\\@scope\\agent\\dist\\index.js';

  it('starts the script of a shim with the node beside it', async () => {
    const files: Record<string, FileState> = {
      'C:\\npm\\agent.cmd': 'executable',
      'C:\\npm\\node.exe': 'executable',
    };
    expect(await windowsCommandLine(request, machine(files, { 'C:\\npm\\agent.cmd': npmShim }))).toEqual({
      command: 'C:\\npm\\node.exe',
      args: [script, '--acp', 'a "b"'],
    });
  });

  it('or with the node on the PATH', async () => {
    const files: Record<string, FileState> = { 'C:\\npm\\agent.cmd': 'executable' };
    const commandLine = await windowsCommandLine(request, machine(files, { 'C:\\npm\\agent.cmd': npmShim }));
    expect(commandLine).toEqual({ command: 'node', args: [script, '--acp', 'a "b"'] });
  });

  it.each<[string, Record<string, FileState>, Record<string, string>]>([
    ['a program', { 'C:\\npm\\agent.exe': 'executable' }, {}],
    ['a missing command', {}, {}],
    [
      'another batch file',
      { 'C:\\npm\\agent.cmd': 'executable' },
      { 'C:\\npm\\agent.cmd': 'python agent.py' },
    ],
    ['a shim that can not be read', { 'C:\\npm\\agent.cmd': 'executable' }, {}],
  ])('leaves alone: %s', async (_, files, texts) => {
    expect(await windowsCommandLine(request, machine(files, texts))).toEqual({
      command: 'agent',
      args: request.args,
    });
  });
});
