import { describe, expect, expectTypeOf, it, test } from 'vitest';
import { buildAgentEnvironment } from '../../../../src/config/agent-environment.ts';
import { defaultLimits, resolveLimits } from '../../../../src/config/launcher-options.ts';
import type { ModelProviderConfig } from '../../../../src/config/model-provider.ts';
import { findPreset, presetNames, type AgentPresetName } from '../../../../src/config/presets/presets.ts';

const provider: ModelProviderConfig = {
  id: 'p1',
  name: 'Example "quoted"',
  baseUrl: 'https://models.test',
  apiKey: 'key-123456',
  defaultModel: 'big',
};
/** What the model provider becomes for an agent, without what every agent gets. */
function modelVariables(preset: AgentPresetName, changes: Partial<ModelProviderConfig> = {}) {
  const { env } = buildAgentEnvironment({
    hostEnv: {},
    preset: { ...findPreset(preset), env: {} },
    modelProvider: { ...provider, ...changes },
    projectId: 'p',
    cwd: '/p',
  });
  const common = /^(ANTHROPIC|OPENAI|AGENT)_/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !common.test(name)));
}

it('knows these agents', () => {
  expect(presetNames).toStrictEqual([
    ...['claude-code', 'codex', 'gemini', 'qwen', 'opencode', 'pi', 'copilot', 'cline', 'auggie'],
  ]);
  expectTypeOf<'claude-code' | 'codex' | 'copilot'>().toExtend<AgentPresetName>();
});

describe.each(presetNames)('%s', (name) => {
  const preset = findPreset(name);

  it('is complete, frozen data under its own name', () => {
    expect(preset.name).toBe(name);
    expect(preset.commands.length).toBeGreaterThan(0);
    expect(Object.isFrozen(preset) && Object.isFrozen(preset.packages) && Object.isFrozen(preset.args)).toBe(
      true,
    );
  });

  it('pins exact versions, the newest and most demanding first', () => {
    const specs = preset.packages.flatMap(({ spec, companions = [] }) => [spec, ...companions]);
    expect(specs.filter((spec) => !/^(@[\w-]+\/)?[\w-]+@\d+\.\d+\.\d+$/.test(spec))).toEqual([]);
    const majors = preset.packages.map(({ minNodeMajor }) => minNodeMajor);
    expect(majors).toEqual(majors.toSorted((a, b) => b - a));
  });

  it('asks for valid limits, if any', () => {
    expect(resolveLimits(preset.limits)).toEqual({ ...defaultLimits, ...preset.limits });
  });

  it('never writes the key into a configuration variable, nor an empty variable', () => {
    const { env } = buildAgentEnvironment({
      hostEnv: {},
      preset,
      modelProvider: { ...provider, defaultModel: '' },
      projectId: 'p',
      cwd: '/p',
    });
    expect(Object.entries(env).filter(([, value]) => value === '')).toEqual([]);
    const holders = Object.keys(env).filter((name) => env[name]?.includes(provider.apiKey));
    expect(holders.filter((name) => !name.endsWith('_API_KEY'))).toEqual([]);
  });
});

describe('what the model provider becomes', () => {
  test.each<AgentPresetName>(['claude-code', 'qwen', 'pi', 'cline', 'auggie'])(
    '%s: nothing of its own',
    (name) => {
      const { OPENCODE_MODEL, ...rest } = modelVariables(name);
      expect([OPENCODE_MODEL, rest]).toEqual(['big', {}]);
    },
  );

  it('codex: a provider in CODEX_CONFIG that reads the key from its variable', () => {
    const { CODEX_CONFIG } = modelVariables('codex', { apiProtocol: 'openai' });
    expect(JSON.parse(CODEX_CONFIG!)).toStrictEqual({
      model: 'big',
      model_provider: 'acp-launcher',
      model_providers: {
        'acp-launcher': {
          name: 'Example "quoted"',
          base_url: 'https://models.test',
          env_key: 'OPENAI_API_KEY',
          wire_api: 'responses',
        },
      },
    });
    expect(modelVariables('codex', { baseUrl: '' })['CODEX_CONFIG']).toBe('{"model":"big"}');
    expect(modelVariables('codex', { apiProtocol: 'anthropic' })).not.toHaveProperty('CODEX_CONFIG');
  });

  it('claude-code: every model name that it would ask a service of its own for', () => {
    const names = ['SONNET', 'OPUS', 'HAIKU'].map((name) => `ANTHROPIC_DEFAULT_${name}_MODEL`);
    const env = (changes: Partial<ModelProviderConfig>) =>
      buildAgentEnvironment({
        hostEnv: {},
        preset: findPreset('claude-code'),
        modelProvider: { ...provider, ...changes },
        projectId: 'p',
        cwd: '/p',
      }).env;
    expect(names.map((name) => env({})[name])).toEqual(['big', 'big', 'big']);
    expect(names.filter((name) => name in env({ baseUrl: '' }))).toEqual([]);
    expect(names.filter((name) => name in env({ apiProtocol: 'openai' }))).toEqual([]);
  });

  it('gemini: its own variables', () => {
    expect(modelVariables('gemini', { apiProtocol: 'anthropic' })).toStrictEqual({
      GEMINI_API_KEY: 'key-123456',
      GOOGLE_GEMINI_BASE_URL: 'https://models.test',
      GEMINI_MODEL: 'big',
    });
  });

  test.each<[ModelProviderConfig['apiProtocol'], string, string, string, string]>([
    [
      undefined,
      'https://m.test/v1',
      '@ai-sdk/openai-compatible',
      'https://m.test/v1',
      '{env:OPENAI_API_KEY}',
    ],
    ['openai', 'https://m.test/x/', '@ai-sdk/openai-compatible', 'https://m.test/x/', '{env:OPENAI_API_KEY}'],
    ['anthropic', 'https://m.test/', '@ai-sdk/anthropic', 'https://m.test/v1', '{env:ANTHROPIC_API_KEY}'],
    ['anthropic', 'https://m.test/v1', '@ai-sdk/anthropic', 'https://m.test/v1', '{env:ANTHROPIC_API_KEY}'],
  ])('opencode: a provider in OPENCODE_CONFIG_CONTENT (%s)', (apiProtocol, baseUrl, npm, baseURL, apiKey) => {
    const { OPENCODE_CONFIG_CONTENT, ...rest } = modelVariables('opencode', { apiProtocol, baseUrl });
    expect(rest).toStrictEqual({ OPENCODE_MODEL: 'acp-launcher/big' });
    expect(JSON.parse(OPENCODE_CONFIG_CONTENT!)).toStrictEqual({
      model: 'acp-launcher/big',
      small_model: 'acp-launcher/big',
      provider: {
        'acp-launcher': {
          npm,
          name: 'Example "quoted"',
          options: { baseURL, apiKey },
          models: { big: { name: 'big' } },
        },
      },
    });
  });

  test.each([undefined, 'openai', 'anthropic'] as const)(
    'copilot: a provider of its own (%s)',
    (apiProtocol) => {
      expect(modelVariables('copilot', { apiProtocol })).toStrictEqual({
        ...(apiProtocol === 'anthropic' ? {} : { OPENCODE_MODEL: 'big' }),
        COPILOT_PROVIDER_TYPE: apiProtocol ?? 'openai',
        COPILOT_PROVIDER_BASE_URL: 'https://models.test',
        COPILOT_PROVIDER_API_KEY: 'key-123456',
        COPILOT_MODEL: 'big',
      });
    },
  );
});
