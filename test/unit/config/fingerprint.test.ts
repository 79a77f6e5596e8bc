import { describe, expect, it, test } from 'vitest';
import { buildAgentEnvironment } from '../../../src/config/agent-environment.ts';
import {
  configurationFingerprint,
  configurationFingerprints,
  type FingerprintInput,
} from '../../../src/config/fingerprint.ts';
import type { ModelProviderConfig } from '../../../src/config/model-provider.ts';
import { findPreset, presetNames } from '../../../src/config/presets/presets.ts';

const provider: ModelProviderConfig = {
  id: 'p1',
  name: 'Example',
  baseUrl: 'https://models.test',
  apiKey: 'key-123456',
  defaultModel: 'model-a',
};
const input: FingerprintInput = {
  command: 'agent',
  args: ['-x'],
  cwd: '/p',
  env: { A: '1', B: '2' },
  mcpServers: [{ name: 'm', command: 'c', args: [], env: [{ name: 'K', value: 'v' }] }],
  modelProvider: provider,
  session: { systemPrompt: 'P' },
};

it('is a digest that depends on no order of keys', () => {
  const reversed = Object.fromEntries(Object.entries(input).reverse()) as unknown as FingerprintInput;
  expect(configurationFingerprint({ ...reversed, env: { B: '2', A: '1' } })).toBe(
    configurationFingerprint(input),
  );
  expect(configurationFingerprint(input)).toMatch(/^[\da-f]{64}$/);
  expect(configurationFingerprints(input).all).toBe(configurationFingerprint(input));
});

test.each<[string, Partial<FingerprintInput>]>([
  ['command', { command: 'other' }],
  ['args', { args: ['-y'] }],
  ['the order of args', { args: ['a', 'b'] }],
  ['cwd', { cwd: '/q' }],
  ['an env value (B62)', { env: { A: '1', B: '3' } }],
  ['an env variable less', { env: { A: '1' } }],
  ['MCP servers', { mcpServers: [] }],
  ['the key of the model provider (B62)', { modelProvider: { ...provider, apiKey: 'key-other' } }],
  ['no model provider', { modelProvider: undefined }],
  ['the session', { session: { systemPrompt: 'Q' } }],
])('%s makes a difference, also to the rest', (_, changes) => {
  const before = configurationFingerprints(input);
  const after = configurationFingerprints({ ...input, ...changes });
  expect(after.all).not.toBe(before.all);
  expect(after.rest).not.toBe(before.rest);
});

describe('B62: what only holds the name of the model is no part of it', () => {
  const fingerprints = (model: string, changes: object, more: Partial<FingerprintInput> = {}) => {
    const modelProvider = { ...provider, defaultModel: model, ...changes };
    const env = {
      MODEL: model,
      KEY: modelProvider.apiKey,
      URL: modelProvider.baseUrl,
      CONFIG: JSON.stringify({ model }),
    };
    return configurationFingerprints({ ...input, env, modelProvider, ...more });
  };
  it('what is made of it is', () => {
    expect(fingerprints('one', {}).rest).toBe(fingerprints('two', {}).rest);
  });
  it.each<[string, (model: string) => [object, Partial<FingerprintInput>?]]>([
    ['a key', (model) => [{ apiKey: `key-of-${model}` }]],
    ['an address', (model) => [{ baseUrl: `https://models.test/${model}` }]],
    ['a variable that was given by hand', (model) => [{}, { session: { env: { A: `of-${model}` } } }]],
    ['an MCP server', (model) => [{}, { mcpServers: [{ name: 'm', command: 'c', args: [model], env: [] }] }]],
  ])('%s', (_what, changes) => {
    expect(fingerprints('one', ...changes('one')).rest).not.toBe(fingerprints('two', ...changes('two')).rest);
  });
});

describe.each(presetNames)('X15: with the preset %s', (name) => {
  const fingerprints = (changes: Partial<ModelProviderConfig>) => {
    const modelProvider = { ...provider, ...changes };
    const request = {
      hostEnv: { PATH: '/bin' },
      preset: findPreset(name),
      modelProvider,
      projectId: 'p',
      cwd: '/p',
    };
    const { env } = buildAgentEnvironment(request);
    return configurationFingerprints({ ...input, env, modelProvider });
  };

  it('tells a change of the model from any other', () => {
    const a = fingerprints({});
    const b = fingerprints({ defaultModel: 'model-b' });
    expect(b.rest).toBe(a.rest);
    expect([b.all === a.all, b.model === a.model]).toEqual([false, false]);
    const both = fingerprints({ defaultModel: 'model-b', apiKey: 'key-other' });
    expect([both.rest === a.rest, both.model === b.model]).toEqual([false, true]);
  });
});
