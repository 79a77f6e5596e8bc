import { delimiter, dirname } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import {
  choosePreset,
  resolveAgentCommand,
  type AgentChoice,
  type AgentCommandRequest,
} from '../../../src/config/agent-command.ts';
import { findPreset } from '../../../src/config/presets/presets.ts';
import { configError, invalid, refusal } from './config-error.ts';

const env = { PATH: '/a:/b' };
/** Resolves where only these files can be run. */
const resolve = (request: Partial<AgentCommandRequest>, ...present: string[]) =>
  resolveAgentCommand({
    env,
    platform: 'linux',
    isExecutable: (path) => present.includes(path),
    ...request,
  });
const newest = '@agentclientprotocol/claude-agent-acp@0.101.0';
const forNode20 = '@agentclientprotocol/claude-agent-acp@0.49.0';

describe('the default preset, claude-code', () => {
  const everything = ['/a/claude-code-acp', '/b/claude-code-acp-ts', '/b/claude-agent-acp', '/b/npx'];

  test.each<[string, string[], string]>([
    ['claude-agent-acp first', everything, '/b/claude-agent-acp'],
    ['then claude-code-acp-ts', ['/a/claude-code-acp', '/b/claude-code-acp-ts'], '/b/claude-code-acp-ts'],
    ['then claude-code-acp', ['/a/claude-code-acp', '/b/npx'], '/a/claude-code-acp'],
  ])('%s', (_, present, command) => {
    expect(resolve({}, ...present)).toStrictEqual({
      agentId: 'claude-code',
      command,
      args: [],
      env,
      preset: findPreset('claude-code'),
      packageRunner: false,
    });
  });

  it('CLAUDE_CODE_ACP_PATH before all of them, unless it is empty', () => {
    const named = { env: { ...env, CLAUDE_CODE_ACP_PATH: '/opt/adapter' } };
    expect(resolve(named, ...everything)).toMatchObject({
      command: '/opt/adapter',
      args: [],
      packageRunner: false,
    });
    const empty = { env: { ...env, CLAUDE_CODE_ACP_PATH: '' } };
    expect(resolve(empty, ...everything).command).toBe('/b/claude-agent-acp');
  });

  test.each<[string | undefined, string]>([
    ['20.19.0', forNode20],
    ['v20.20.2', forNode20],
    ['22.0.0', newest],
    ['24.1.0', newest],
    ['100.0.0', newest],
    [undefined, forNode20],
  ])('npx on Node %s runs %s, and says so', (nodeVersion, spec) => {
    const resolved = resolve({ nodeVersion }, '/b/npx');
    expect(resolved).toMatchObject({ command: '/b/npx', args: ['-y', spec], packageRunner: true });
    expect(resolved.note).toContain(spec);
    expect(resolved.note).toContain(nodeVersion?.replace('v', '') ?? 'unknown version');
    expect(resolved.note).toContain('claude-agent-acp');
  });

  it('knows the version of our own Node where the PATH leads to it', () => {
    const path = [dirname(process.execPath), '/b'].join(delimiter);
    const isExecutable = (file: string) => file === '/b/npx' || file === process.execPath;
    const { note } = resolve({ env: { PATH: path }, isExecutable });
    expect(note).toContain(`runs on Node ${process.versions.node}`);
  });

  it('guesses no version for another Node', () => {
    expect(resolve({}, '/a/node', '/b/npx').note).toContain('unknown version');
  });

  it('without npx says what was looked for', () => {
    const error = configError(() => resolve({}));
    expect(error).toMatchObject({ code: 'command-missing', phase: 'config' });
    expect(error.facts.command).toBe('claude-agent-acp');
    expect(error.message).toBe(
      'claude-code: neither "claude-agent-acp", "claude-code-acp-ts", "claude-code-acp" nor npx is on the agent\'s PATH',
    );
  });

  it('on a Node that no known version runs on, says that', () => {
    expect(configError(() => resolve({ nodeVersion: '18.20.0' }, '/b/npx')).message).toContain(
      'Node 18.20.0',
    );
  });
});

describe('other presets', () => {
  it('run with their arguments, or with those that are given', () => {
    expect(resolve({ preset: 'gemini' }, '/a/gemini')).toMatchObject({
      command: '/a/gemini',
      args: ['--acp'],
    });
    expect(resolve({ preset: 'gemini', args: ['--x'] }, '/a/gemini').args).toEqual(['--x']);
  });

  it('install what belongs to them, and run the right command of it', () => {
    expect(resolve({ preset: 'pi', nodeVersion: '24.0.0' }, '/a/npx').args).toEqual([
      ...['-y', '-p', 'pi-acp@0.0.34', '-p', '@earendil-works/pi-coding-agent@1.6.0', 'pi-acp'],
    ]);
    const gemini = resolve({ preset: 'gemini', nodeVersion: '24.0.0' }, '/a/npx');
    expect(gemini.args).toEqual(['-y', '@google/gemini-cli@0.61.0', '--acp']);
  });

  it('an unknown name lists the known ones', () => {
    const error = configError(() => resolve({ preset: 'clod' }));
    expect(error).toMatchObject({ code: 'invalid-config', facts: { field: 'agent' } });
    expect(error.message).toContain('"clod"; known are "claude-code", "codex", "gemini", "qwen", "opencode"');
    expect(refusal(() => resolve({ preset: 'constructor' }))).toEqual(invalid('agent'));
  });
});

describe('a command that is given', () => {
  test.each<[string, AgentChoice, object]>([
    [
      'is run as it is',
      { command: 'agent', args: ['-x'] },
      { command: 'agent', args: ['-x'], agentId: 'agent' },
    ],
    ['needs no arguments', { command: '/opt/agent' }, { command: '/opt/agent', args: [], agentId: 'agent' }],
    [
      'stands in for the command of a preset',
      { preset: 'gemini', command: '/opt/gemini' },
      { command: '/opt/gemini', args: ['--acp'], agentId: 'gemini', preset: findPreset('gemini') },
    ],
    ['may have a name', { command: 'agent', agentId: 'mine' }, { agentId: 'mine' }],
    ['may be npx', { command: 'npx', args: ['-y', 'agent@1'] }, { agentId: 'agent', packageRunner: true }],
    [
      'agentServer wins over everything',
      { preset: 'gemini', command: 'x', agentServer: { command: 'server', args: ['-s'] } },
      { command: 'server', args: ['-s'], agentId: 'server', preset: undefined },
    ],
    [
      'agentServer may name a preset, and takes none of its arguments',
      { agentServer: { agentId: 'gemini', command: 'my-gemini' } },
      { command: 'my-gemini', args: [], agentId: 'gemini', preset: findPreset('gemini') },
    ],
    [
      "agentServer's own name wins",
      { agentId: 'launcher', agentServer: { agentId: 'claude-code-acp-ts', command: 'server' } },
      { agentId: 'claude-code-acp-ts', preset: undefined },
    ],
  ])('%s', (_, choice, expected) => {
    expect(resolve(choice)).toMatchObject(expected);
    expect(resolve(choice).preset).toBe(choosePreset(choice));
  });

  test.each<[string, AgentChoice]>([
    ['command', { command: '' }],
    ['command', { command: ' ' }],
    ['command', { command: 'a\0b' }],
    ['args[1]', { command: 'a', args: ['x', 'a\0b'] }],
  ])('refuses a bad %s (row %#)', (field, choice) => {
    expect(refusal(() => resolve(choice))).toEqual(invalid(field));
  });
});
