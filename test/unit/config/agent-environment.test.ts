import { describe, expect, it, test } from 'vitest';
import {
  buildAgentEnvironment,
  type AgentEnvironmentRequest,
  type EnvironmentOverrides,
} from '../../../src/config/agent-environment.ts';
import type { ModelProviderConfig } from '../../../src/config/model-provider.ts';
import { findPreset } from '../../../src/config/presets/presets.ts';
import { configError, invalid, refusal } from './config-error.ts';

const provider: ModelProviderConfig = {
  id: 'p1',
  name: 'Example',
  baseUrl: 'https://models.test',
  apiKey: 'provider-key',
  defaultModel: 'provider',
};
const base = { projectId: 'proj', cwd: '/projects/p', platform: 'linux' as const };
const own = { AGENT_PROJECT_ID: 'proj', AGENT_WORKING_DIR: '/projects/p' };
const environment = (request: Partial<AgentEnvironmentRequest>) =>
  buildAgentEnvironment({ hostEnv: {}, ...base, ...request }).env;

describe('precedence, lowest first', () => {
  /** One variable that every layer can set; its value names the layer. */
  const name = 'OPENAI_MODEL';
  type Layer = (request: AgentEnvironmentRequest) => AgentEnvironmentRequest;
  const layers: readonly [string, Layer][] = [
    ['inherited', (request) => ({ ...request, inheritEnv: [name], hostEnv: { [name]: 'inherited' } })],
    ['preset', (request) => ({ ...request, preset: { ...findPreset('qwen'), env: { [name]: 'preset' } } })],
    ['provider', (request) => ({ ...request, modelProvider: provider })],
    ['agentServer', (request) => ({ ...request, agentServerEnv: { [name]: 'agentServer' } })],
    ['launch', (request) => ({ ...request, env: { [name]: 'launch' } })],
  ];
  const start: AgentEnvironmentRequest = { hostEnv: {}, ...base };

  test.each(layers)('%s alone is heard', (layer, apply) => {
    expect(buildAgentEnvironment(apply(start)).env[name]).toBe(layer);
  });

  const pairs = layers.flatMap(([low, applyLow], index) =>
    layers.slice(index + 1).map(([high, applyHigh]) => [high, low, applyHigh, applyLow] as const),
  );
  it('covers every pair', () => expect(pairs).toHaveLength(10));
  test.each(pairs)('%s wins over %s', (high, _low, applyHigh, applyLow) => {
    expect(buildAgentEnvironment(applyHigh(applyLow(start))).env[name]).toBe(high);
  });

  test.each(layers.slice(0, 4))(
    'undefined and null in a higher layer remove what %s set (B61)',
    (_, apply) => {
      for (const removed of [undefined, null]) {
        const request = apply(start);
        expect(buildAgentEnvironment({ ...request, env: { [name]: removed } }).env).not.toHaveProperty(name);
      }
      const request = { ...apply(start), agentServerEnv: { [name]: undefined } };
      expect(buildAgentEnvironment(request).env).not.toHaveProperty(name);
    },
  );
});

describe('what is inherited', () => {
  const hostEnv = {
    PATH: '/bin',
    HOME: '/home/a',
    LC_ALL: 'C',
    https_proxy: 'http://proxy.test',
    DATABASE_URL: 'postgres://db',
    ANTHROPIC_API_KEY: 'host-key',
    ANTHROPIC_BASE_URL: 'https://gateway.test',
    ANTHROPIC_CUSTOM_HEADERS: 'x-team: 1',
    OPENAI_API_KEY: 'host-openai',
    CLAUDE_CONFIG_DIR: '/home/a/.claude-work',
    CLAUDECODE: '1',
    CLAUDE_CODE_ENTRYPOINT: 'cli',
    NODE_OPTIONS: '--inspect',
    npm_config_registry: 'https://registry.test',
  };
  const standard = { PATH: '/bin', HOME: '/home/a', LC_ALL: 'C', https_proxy: 'http://proxy.test' };
  const preset = findPreset('claude-code');
  const fromPreset = { DISABLE_AUTOUPDATER: '1' };
  const state = { CLAUDE_CONFIG_DIR: '/home/a/.claude-work' };

  test.each<[string, Partial<AgentEnvironmentRequest>, Record<string, string>]>([
    ['B63: the allow-list by default', {}, standard],
    ['B65: an empty list is the default', { inheritEnv: [] }, standard],
    ['B65: a small env is merged over it', { env: { A: '1' } }, { ...standard, A: '1' }],
    ['B65: an empty env changes nothing', { env: {} }, standard],
    ['nothing with false', { inheritEnv: false }, {}],
    ['a name more', { inheritEnv: ['DATABASE_URL'] }, { ...standard, DATABASE_URL: 'postgres://db' }],
    [
      'B61: everything but what is withheld with true',
      { inheritEnv: true },
      {
        ...standard,
        ...state,
        DATABASE_URL: 'postgres://db',
        ANTHROPIC_API_KEY: 'host-key',
        ANTHROPIC_BASE_URL: 'https://gateway.test',
        ANTHROPIC_CUSTOM_HEADERS: 'x-team: 1',
        OPENAI_API_KEY: 'host-openai',
      },
    ],
    ['B61: a pattern lets nothing withheld through', { inheritEnv: ['CLAUDE*'] }, { ...standard, ...state }],
    ['B61: the full name does', { inheritEnv: ['CLAUDECODE'] }, { ...standard, CLAUDECODE: '1' }],
    [
      "a preset's own vendor, and no other",
      { preset },
      {
        ...standard,
        ...state,
        ...fromPreset,
        ANTHROPIC_API_KEY: 'host-key',
        ANTHROPIC_BASE_URL: 'https://gateway.test',
        ANTHROPIC_CUSTOM_HEADERS: 'x-team: 1',
      },
    ],
    [
      'with a model provider, nothing of the vendor but where it keeps its sessions',
      { preset, modelProvider: { ...provider, apiProtocol: 'anthropic' } },
      {
        ...standard,
        ...state,
        ...fromPreset,
        ANTHROPIC_API_KEY: 'provider-key',
        ANTHROPIC_BASE_URL: 'https://models.test',
        ANTHROPIC_MODEL: 'provider',
        ANTHROPIC_DEFAULT_SONNET_MODEL: 'provider',
        ANTHROPIC_DEFAULT_OPUS_MODEL: 'provider',
        ANTHROPIC_DEFAULT_HAIKU_MODEL: 'provider',
      },
    ],
    ['a preset inherits nothing with false', { preset, inheritEnv: false }, fromPreset],
  ])('%s', (_, request, expected) => {
    expect(environment({ hostEnv, ...request })).toStrictEqual({ ...expected, ...own });
  });

  it('passes CLAUDE_CODE_ACP_PATH with the preset that it belongs to', () => {
    const named = { CLAUDE_CODE_ACP_PATH: '/opt/adapter' };
    expect(environment({ hostEnv: named, preset, modelProvider: provider })).toMatchObject(named);
    expect(environment({ hostEnv: named, preset: findPreset('codex') })).not.toHaveProperty(
      'CLAUDE_CODE_ACP_PATH',
    );
  });
});

describe('credentials come from one source', () => {
  const claude = { preset: findPreset('claude-code') };
  const anthropicNames = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];
  const credentials = (request: Partial<AgentEnvironmentRequest>) =>
    Object.fromEntries(
      Object.entries(environment(request)).filter(([name]) => anthropicNames.includes(name)),
    );

  test.each<[string, Partial<AgentEnvironmentRequest>, Record<string, string>]>([
    [
      "the host's two stay together",
      { ...claude, hostEnv: { ANTHROPIC_API_KEY: 'a', ANTHROPIC_AUTH_TOKEN: 'b' } },
      { ANTHROPIC_API_KEY: 'a', ANTHROPIC_AUTH_TOKEN: 'b' },
    ],
    [
      "a caller's token removes the host's key",
      { ...claude, hostEnv: { ANTHROPIC_API_KEY: 'a' }, env: { ANTHROPIC_AUTH_TOKEN: 'mine' } },
      { ANTHROPIC_AUTH_TOKEN: 'mine' },
    ],
    [
      "a caller's key removes the host's token",
      { ...claude, hostEnv: { CLAUDE_CODE_OAUTH_TOKEN: 'a' }, env: { ANTHROPIC_API_KEY: 'mine' } },
      { ANTHROPIC_API_KEY: 'mine' },
    ],
    [
      "the model provider's key removes an inherited token",
      { inheritEnv: true, hostEnv: { ANTHROPIC_AUTH_TOKEN: 'a' }, modelProvider: provider },
      { ANTHROPIC_API_KEY: 'provider-key' },
    ],
    [
      "a token by template removes the model provider's key",
      { modelProvider: provider, agentServerEnv: { ANTHROPIC_AUTH_TOKEN: '{MODEL_PROVIDER_API_KEY}' } },
      { ANTHROPIC_AUTH_TOKEN: 'provider-key' },
    ],
    [
      'an empty credential removes nothing else',
      { modelProvider: provider, env: { ANTHROPIC_AUTH_TOKEN: '' } },
      { ANTHROPIC_API_KEY: 'provider-key', ANTHROPIC_AUTH_TOKEN: '' },
    ],
  ])('%s', (_, request, expected) => {
    expect(credentials(request)).toStrictEqual(expected);
  });
});

describe('templates', () => {
  it('are replaced in the env of the agent server and of the launch', () => {
    const value = '{MODEL_PROVIDER_NAME}/{MODEL_PROVIDER_DEFAULT_MODEL}';
    const env = environment({ modelProvider: provider, agentServerEnv: { A: value }, env: { B: value } });
    expect(env).toMatchObject({ A: 'Example/provider', B: 'Example/provider' });
  });

  it('are refused where there is no model provider, naming the variable', () => {
    const templated = { KEY: '{MODEL_PROVIDER_API_KEY}' };
    expect(refusal(() => environment({ agentServerEnv: templated }))).toEqual(invalid('agentServer.env.KEY'));
    expect(refusal(() => environment({ env: templated }))).toEqual(invalid('env.KEY'));
  });
});

test.each<[string, EnvironmentOverrides]>([
  ['env.A', { A: 'a\0b' }],
  ['env["A=B"]', { 'A=B': '1' }],
  ['env[""]', { '': '1' }],
  ['env.A', { A: 1 as unknown as string }],
])('refuses %s, which no environment can hold', (field, env) => {
  expect(refusal(() => environment({ env }))).toEqual(invalid(field));
});

test.each<[string, Partial<AgentEnvironmentRequest>]>([
  ['projectId', { projectId: 'a\0b' }],
  ['prependPath[1]', { prependPath: ['/a', 'node_modules/.bin'] }],
  ['prependPath[0]', { prependPath: ['/a\0'] }],
])('refuses a bad %s', (field, request) => {
  expect(refusal(() => environment(request))).toEqual(invalid(field));
});

test('an invalid value is not repeated in the error', () => {
  const error = configError(() => environment({ env: { KEY: 'secret\0value' } }));
  expect(error.message).not.toContain('secret');
});

describe('PATH', () => {
  test.each<[string, Partial<AgentEnvironmentRequest>, string | undefined]>([
    ['is kept', { hostEnv: { PATH: '/bin' } }, '/bin'],
    ['is prepended', { hostEnv: { PATH: '/bin' }, prependPath: ['/a', '/b'] }, '/a:/b:/bin'],
    ['is prepended where a layer replaced it', { env: { PATH: '/mine' }, prependPath: ['/a'] }, '/a:/mine'],
    ['is made where there is none', { prependPath: ['/a'] }, '/a'],
    ['is made where it is empty', { hostEnv: { PATH: '' }, prependPath: ['/a'] }, '/a'],
    ['is nothing where nothing is given', {}, undefined],
  ])('%s', (_, request, expected) => {
    expect(environment(request)['PATH']).toBe(expected);
  });
});

describe('Windows', () => {
  const windows = { platform: 'win32' as const };
  it('X13: takes Path and PATH for one variable', () => {
    const hostEnv = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows' };
    const env = environment({ ...windows, hostEnv, prependPath: ['C:\\a'], env: { SYSTEMROOT: 'D:\\' } });
    expect(env).toStrictEqual({ Path: 'C:\\a;C:\\bin', SystemRoot: 'D:\\', ...own });
    expect(environment({ ...windows, hostEnv, env: { PATH: undefined } })).not.toHaveProperty('Path');
  });

  it('withholds and resolves credentials in any spelling', () => {
    const hostEnv = { ClaudeCode: '1', Anthropic_Api_Key: 'host' };
    const request = { ...windows, hostEnv, inheritEnv: true, env: { ANTHROPIC_AUTH_TOKEN: 'mine' } };
    expect(environment(request)).toStrictEqual({ ANTHROPIC_AUTH_TOKEN: 'mine', ...own });
  });

  it('elsewhere they are two', () => {
    expect(environment({ hostEnv: { PATH: '/bin', Path: '/x' }, inheritEnv: true })).toMatchObject({
      PATH: '/bin',
      Path: '/x',
    });
  });
});

describe('isolation (B62)', () => {
  it('never changes process.env', () => {
    const before = { ...process.env };
    const env = environment({
      hostEnv: process.env,
      inheritEnv: true,
      modelProvider: provider,
      env: { PATH: undefined, MARKER: 'x' },
      prependPath: ['/a'],
    });
    expect({ ...process.env }).toStrictEqual(before);
    expect(env['MARKER']).toBe('x');
  });

  it('gives each call an object of its own', () => {
    const request = { hostEnv: { PATH: '/bin' }, ...base, modelProvider: provider };
    const first = buildAgentEnvironment(request);
    first.env['ANTHROPIC_API_KEY'] = 'changed';
    const second = buildAgentEnvironment({ ...request, modelProvider: { ...provider, apiKey: 'other' } });
    expect(second.env['ANTHROPIC_API_KEY']).toBe('other');
    expect(JSON.stringify(second)).not.toContain('provider-key');
  });

  it('survives a variable called __proto__', () => {
    const hostEnv = JSON.parse('{"PATH":"/bin","__proto__":"x"}') as NodeJS.ProcessEnv;
    expect(Object.getPrototypeOf(environment({ hostEnv, inheritEnv: true }))).toBe(Object.prototype);
  });
});

test('names its secrets: the key, what a name marks as one, passwords in URLs (B64)', () => {
  const { secrets } = buildAgentEnvironment({
    ...base,
    hostEnv: { PATH: '/bin', HTTPS_PROXY: 'http://me:proxy-pass@proxy.test', LANG: 'C' },
    modelProvider: { ...provider, apiProtocol: 'anthropic', baseUrl: 'https://u:url-pass@models.test' },
    env: { GITHUB_TOKEN: 'ghp', MODE: 'production' },
  });
  expect(secrets[0]).toEqual({ name: 'apiKey', value: 'provider-key', origin: 'explicit' });
  const values = new Set(secrets.map(({ value }) => value));
  expect([...values].sort()).toEqual(['ghp', 'provider-key', 'proxy-pass', 'url-pass']);
});
