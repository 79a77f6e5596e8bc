import { describe, expect, it, test } from 'vitest';
import {
  expandModelProviderTemplates,
  modelProviderEnvironment,
  parseModelProvider,
  type ModelProviderConfig,
} from '../../../src/config/model-provider.ts';
import { configError, invalid, refusal } from './config-error.ts';

const provider: ModelProviderConfig = {
  id: 'p1',
  name: 'Example',
  baseUrl: 'https://models.test/v1',
  apiKey: 'key-123456',
  defaultModel: 'big-model',
};
const anthropic = {
  ANTHROPIC_API_KEY: 'key-123456',
  ANTHROPIC_BASE_URL: 'https://models.test/v1',
  ANTHROPIC_MODEL: 'big-model',
};
const openai = {
  OPENAI_API_KEY: 'key-123456',
  OPENAI_BASE_URL: 'https://models.test/v1',
  OPENAI_MODEL: 'big-model',
  OPENCODE_MODEL: 'big-model',
};

describe('modelProviderEnvironment', () => {
  test.each<[string, Partial<ModelProviderConfig>, Record<string, string>]>([
    ['both families where the protocol is unset', {}, { ...anthropic, ...openai }],
    ['anthropic', { apiProtocol: 'anthropic' }, anthropic],
    ['openai', { apiProtocol: 'openai' }, openai],
    [
      'anthropic with OpenAI authentication',
      { apiProtocol: 'anthropic', requiresOpenaiAuth: true },
      { ...anthropic, OPENAI_API_KEY: 'key-123456' },
    ],
    ['openai with OpenAI authentication', { apiProtocol: 'openai', requiresOpenaiAuth: true }, openai],
    [
      'no variable for what is empty',
      { apiProtocol: 'anthropic', baseUrl: '', defaultModel: '' },
      { ANTHROPIC_API_KEY: 'key-123456' },
    ],
  ])('%s', (_, changes, expected) => {
    expect(modelProviderEnvironment({ ...provider, ...changes })).toStrictEqual(expected);
  });
});

describe('expandModelProviderTemplates', () => {
  test.each([
    ['{MODEL_PROVIDER_API_KEY}', 'key-123456'],
    ['{MODEL_PROVIDER_BASE_URL}', 'https://models.test/v1'],
    ['{MODEL_PROVIDER_DEFAULT_MODEL}', 'big-model'],
    ['{MODEL_PROVIDER_NAME}', 'Example'],
    ['a{MODEL_PROVIDER_NAME}b{MODEL_PROVIDER_NAME}c', 'aExamplebExamplec'],
    ['{MODEL_PROVIDER_OTHER} {PROJECT_ID} {}', '{MODEL_PROVIDER_OTHER} {PROJECT_ID} {}'],
    ['{model_provider_name}', '{model_provider_name}'],
    ['', ''],
  ])('%j becomes %j', (value, expected) => {
    expect(expandModelProviderTemplates(value, provider)).toBe(expected);
  });

  it('never looks at a replacement again', () => {
    const tricky = { ...provider, name: '$& {MODEL_PROVIDER_API_KEY}' };
    expect(expandModelProviderTemplates('{MODEL_PROVIDER_NAME}', tricky)).toBe('$& {MODEL_PROVIDER_API_KEY}');
  });
});

describe('parseModelProvider', () => {
  it('returns a frozen copy without unknown fields', () => {
    const parsed = parseModelProvider(Object.assign({ extraParams: {} }, provider));
    expect(parsed).toStrictEqual(provider);
    expect(Object.isFrozen(parsed)).toBe(true);
  });

  it('takes empty strings for "not set"', () => {
    expect(parseModelProvider({ ...provider, baseUrl: '', defaultModel: '' }).baseUrl).toBe('');
  });

  test.each<[string, Record<string, unknown>]>([
    ['modelProvider.id', { id: 1 }],
    ['modelProvider.name', { name: undefined }],
    ['modelProvider.baseUrl', { baseUrl: 'models.test' }],
    ['modelProvider.baseUrl', { baseUrl: 'ftp://models.test' }],
    ['modelProvider.apiKey', { apiKey: 'key\n' }],
    ['modelProvider.apiKey', { apiKey: null }],
    ['modelProvider.defaultModel', { defaultModel: 'a\0' }],
    ['modelProvider.apiProtocol', { apiProtocol: 'gemini' }],
    ['modelProvider.requiresOpenaiAuth', { requiresOpenaiAuth: 'yes' }],
  ])('refuses a bad %s', (field, changes) => {
    const call = () => parseModelProvider(Object.assign({}, provider, changes));
    expect(refusal(call)).toEqual(invalid(field));
  });

  it('repeats no value of a secret', () => {
    const error = configError(() => parseModelProvider({ ...provider, apiKey: 'sk-secret\nsecond' }));
    expect(JSON.stringify(error)).not.toContain('sk-secret');
  });
});
