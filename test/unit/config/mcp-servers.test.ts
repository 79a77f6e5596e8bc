import type { McpServer } from '@agentclientprotocol/sdk';
import { describe, expect, it, test } from 'vitest';
import {
  checkMcpTransports,
  normalizeMcpServers,
  secretsFromMcpServers,
  withInheritedPath,
  type McpServersInput,
} from '../../../src/config/mcp-servers.ts';
import { configError, invalid, refusal } from './config-error.ts';

const untyped = (input: unknown) => normalizeMcpServers(input as McpServersInput);

describe('normalizeMcpServers (B67)', () => {
  test.each<[string, McpServersInput | undefined, McpServer[]]>([
    ['nothing', undefined, []],
    ['an empty list', [], []],
    ['an empty map', {}, []],
    [
      'stdio with no more than it needs',
      [{ name: 'files', command: 'npx' }],
      [{ name: 'files', command: 'npx', args: [], env: [] }],
    ],
    [
      'env as a map, undefined and null left out',
      [
        {
          name: 'a',
          type: 'stdio',
          command: 'c',
          args: ['-x'],
          env: { A: '1', B: undefined, C: null, D: '' },
        },
      ],
      [
        {
          name: 'a',
          command: 'c',
          args: ['-x'],
          env: [
            { name: 'A', value: '1' },
            { name: 'D', value: '' },
          ],
        },
      ],
    ],
    [
      'env as an array, _meta kept',
      [{ name: 'a', command: 'c', env: [{ name: 'A', value: '1' }], _meta: { x: 1 } }],
      [{ name: 'a', command: 'c', args: [], env: [{ name: 'A', value: '1' }], _meta: { x: 1 } }],
    ],
    [
      'http with headers as a map, sse without any',
      [
        { name: 'h', type: 'http', url: 'https://mcp.test/x', headers: { Authorization: 'Bearer t' } },
        { name: 's', type: 'sse', url: 'http://mcp.test/y' },
      ],
      [
        {
          type: 'http',
          name: 'h',
          url: 'https://mcp.test/x',
          headers: [{ name: 'Authorization', value: 'Bearer t' }],
        },
        { type: 'sse', name: 's', url: 'http://mcp.test/y', headers: [] },
      ],
    ],
    [
      'a context_servers map: disabled entries left out, unknown fields ignored',
      {
        'chrome-devtools': {
          source: 'custom',
          enabled: true,
          command: 'npx',
          args: ['-y', 'x'],
          env: { A: '1' },
        },
        off: { enabled: false, command: '' },
        plain: { command: 'c' },
        remote: { type: 'http', url: 'https://mcp.test/' },
      },
      [
        { name: 'chrome-devtools', command: 'npx', args: ['-y', 'x'], env: [{ name: 'A', value: '1' }] },
        { name: 'plain', command: 'c', args: [], env: [] },
        { type: 'http', name: 'remote', url: 'https://mcp.test/', headers: [] },
      ],
    ],
  ])('%s', (_, input, expected) => {
    const servers = normalizeMcpServers(input);
    expect(servers).toStrictEqual(expected);
    expect(normalizeMcpServers(servers)).toStrictEqual(expected);
    expect(Object.isFrozen(servers)).toBe(true);
  });

  const good = { name: 'good', command: 'c' };
  test.each<[string, unknown]>([
    ['mcpServers', 'npx'],
    ['mcpServers', new Map()],
    ['mcpServers[0]', ['npx']],
    ['mcpServers[1].name', [good, { command: 'c' }]],
    ['mcpServers[1].name', [good, { name: '', command: 'c' }]],
    ['mcpServers[1].name', [good, good]],
    ['mcpServers[1].command', [good, { name: 'a' }]],
    ['mcpServers[0].command', [{ name: 'a', command: '' }]],
    ['mcpServers[0].command', [{ name: 'a', command: 'a\0b' }]],
    ['mcpServers[0].args', [{ name: 'a', command: 'c', args: '-x' }]],
    ['mcpServers[0].args[1]', [{ name: 'a', command: 'c', args: ['-x', 1] }]],
    ['mcpServers[0].env', [{ name: 'a', command: 'c', env: 'A=1' }]],
    ['mcpServers[0].env.PORT', [{ name: 'a', command: 'c', env: { PORT: 80 } }]],
    ['mcpServers[0].env["MY VAR"]', [{ name: 'a', command: 'c', env: { 'MY VAR': 80 } }]],
    [
      'mcpServers[0].env[1].value',
      [{ name: 'a', command: 'c', env: [{ name: 'A', value: '' }, { name: 'B' }] }],
    ],
    ['mcpServers[0].environment', [{ name: 'a', command: 'c', environment: {} }]],
    ['mcpServers[0].type', [{ name: 'a', type: 'ws', url: 'https://mcp.test' }]],
    ['mcpServers[0].type', [{ name: 'a', url: 'https://mcp.test' }]],
    ['mcpServers[0].url', [{ name: 'a', type: 'http' }]],
    ['mcpServers[0].url', [{ name: 'a', type: 'sse', url: 'mcp.test/x' }]],
    ['mcpServers[0].url', [{ name: 'a', type: 'sse', url: 'file:///etc/passwd' }]],
    ['mcpServers[0].headers.X', [{ name: 'a', type: 'http', url: 'https://mcp.test', headers: { X: 1 } }]],
    ['mcpServers.a.command', { a: { enabled: true } }],
    ['mcpServers.a.enabled', { a: { enabled: 'yes', command: 'c' } }],
    ['mcpServers["a b"]', { 'a b': 'npx' }],
    ['mcpServers.a.args[0]', { a: { command: 'c', args: [null] } }],
  ])('refuses %s (row %#)', (field, input) => {
    expect(refusal(() => untyped(input))).toEqual(invalid(field));
  });
});

describe('checkMcpTransports (B67)', () => {
  const servers = normalizeMcpServers([
    { name: 'local', command: 'c' },
    { name: 'tickets', type: 'http', url: 'https://mcp.test/' },
  ]);

  it('asks for no capability where servers run on stdio', () => {
    expect(() => checkMcpTransports(servers.slice(0, 1), undefined)).not.toThrow();
  });

  it('is content with the advertised transport', () => {
    expect(() => checkMcpTransports(servers, { http: true })).not.toThrow();
  });

  test.each([undefined, {}, { http: false }, { sse: true }])('names the entry with %j', (capabilities) => {
    const error = configError(() => checkMcpTransports(servers, capabilities));
    expect(error.code).toBe('capability-missing');
    expect(error.facts.field).toBe('mcpServers[1].type');
    expect(error.message).toContain('"tickets" uses http');
  });
});

describe('withInheritedPath', () => {
  const agentEnv = { PATH: '/bin', HOME: '/home/a', TOKEN: 't' };
  const envOf = (
    input: Record<string, string>,
    platform: NodeJS.Platform,
    env: Record<string, string> = agentEnv,
  ) => {
    const [server] = withInheritedPath(
      normalizeMcpServers([{ name: 'a', command: 'c', env: input }]),
      env,
      platform,
    );
    return Object.fromEntries(
      (server as { env: { name: string; value: string }[] }).env.map((e) => [e.name, e.value]),
    );
  };

  test.each<[string, NodeJS.Platform, Record<string, string>, Record<string, string>]>([
    ['adds both', 'linux', { A: '1' }, { A: '1', PATH: '/bin', HOME: '/home/a' }],
    ['adds the one that is missing', 'linux', { PATH: '/opt' }, { PATH: '/opt', HOME: '/home/a' }],
    ['keeps what is set, empty too', 'linux', { PATH: '', HOME: '/h' }, { PATH: '', HOME: '/h' }],
    ['leaves a server without env alone', 'linux', {}, {}],
    ['knows Path for PATH on Windows', 'win32', { Path: 'C:\\x' }, { Path: 'C:\\x' }],
  ])('%s', (_, platform, input, expected) => {
    expect(envOf(input, platform)).toStrictEqual(expected);
  });

  it('takes what Windows needs from an agent whose variables are spelled differently', () => {
    const env = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', USERPROFILE: 'C:\\u', PATHEXT: '.EXE' };
    expect(envOf({ A: '1' }, 'win32', env)).toStrictEqual({
      A: '1',
      PATH: 'C:\\bin',
      PATHEXT: '.EXE',
      SYSTEMROOT: 'C:\\Windows',
      USERPROFILE: 'C:\\u',
    });
  });

  it('has nothing to add where the agent has none, and leaves remote servers alone', () => {
    expect(envOf({ A: '1' }, 'linux', {})).toStrictEqual({ A: '1' });
    const remote = normalizeMcpServers([{ name: 'r', type: 'http', url: 'https://mcp.test/' }]);
    expect(withInheritedPath(remote, agentEnv)).toStrictEqual(remote);
  });
});

describe('secretsFromMcpServers (B64)', () => {
  it('takes env and header values, tokens without their scheme, and credentials in URLs', () => {
    const servers = withInheritedPath(
      normalizeMcpServers([
        { name: 'a', command: 'c', env: { MODE: 'production', EMPTY: '' } },
        {
          name: 'b',
          type: 'http',
          url: 'https://user:p%40ss@mcp.test/?access_token=query-secret&page=2',
          headers: { Authorization: 'Bearer header-secret' },
        },
      ]),
      { PATH: '/usr/bin:/bin', HOME: '/home/someone' },
      'linux',
    );
    const secrets = secretsFromMcpServers(servers);
    expect(secrets.map(({ value }) => value)).toEqual([
      ...['production', 'query-secret', 'p%40ss', 'p@ss', 'Bearer header-secret', 'header-secret'],
    ]);
    expect(secrets.every(({ origin }) => origin === 'explicit')).toBe(true);
  });
});
