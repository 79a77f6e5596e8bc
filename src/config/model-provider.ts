import { z } from 'zod';
import { validated } from './validate.ts';

/**
 * Which model service the agent is to use. Becomes environment variables of the agent, nothing else; an empty
 * string sets no variable.
 */
export interface ModelProviderConfig {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly defaultModel: string;
  /** The family of variables to set. @defaultValue both families */
  readonly apiProtocol?: 'anthropic' | 'openai' | undefined;
  /**
   * Also hands over the key as `OPENAI_API_KEY` where the protocol is `anthropic`: for services that speak
   * Anthropic's protocol and want OpenAI's kind of authentication. @defaultValue false
   */
  readonly requiresOpenaiAuth?: boolean | undefined;
}

const line = z.string().regex(/^[^\0-\x1f\x7f]*$/, 'must not contain line breaks or control characters');
const schema = z.object({
  id: line,
  name: line,
  baseUrl: line.refine(isEmptyOrHttpUrl, 'must be an absolute http or https URL'),
  apiKey: line,
  defaultModel: line,
  apiProtocol: z.enum(['anthropic', 'openai']).optional(),
  requiresOpenaiAuth: z.boolean().optional(),
});

function isEmptyOrHttpUrl(value: string): boolean {
  return value === '' || (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol));
}

/**
 * A validated, frozen copy. Fields that are not known are left out.
 * @throws `invalid-config` naming the field; the message holds no value.
 */
export function parseModelProvider(input: ModelProviderConfig, root = 'modelProvider'): ModelProviderConfig {
  return Object.freeze(validated(schema, input, root));
}

/** The variables of both families, or of the provider's own, that agents read by convention. */
export function modelProviderEnvironment(provider: ModelProviderConfig): Record<string, string> {
  const { apiKey, baseUrl, defaultModel, apiProtocol, requiresOpenaiAuth } = provider;
  return withoutEmpty({
    ...(apiProtocol === 'openai'
      ? {}
      : { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_MODEL: defaultModel }),
    ...(apiProtocol === 'anthropic'
      ? {}
      : {
          OPENAI_API_KEY: apiKey,
          OPENAI_BASE_URL: baseUrl,
          OPENAI_MODEL: defaultModel,
          OPENCODE_MODEL: defaultModel,
        }),
    ...(requiresOpenaiAuth === true ? { OPENAI_API_KEY: apiKey } : {}),
  });
}

/** Leaves out variables that would be empty: an agent takes an empty key or URL for a setting. */
export function withoutEmpty(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
}

const template = /\{MODEL_PROVIDER_(API_KEY|BASE_URL|DEFAULT_MODEL|NAME)\}/g;
const templateFields = {
  API_KEY: 'apiKey',
  BASE_URL: 'baseUrl',
  DEFAULT_MODEL: 'defaultModel',
  NAME: 'name',
} as const;

/** Whether the value refers to the model provider. */
export const hasModelProviderTemplate = (value: string) => value.search(template) >= 0;

/**
 * Replaces `{MODEL_PROVIDER_API_KEY}`, `{MODEL_PROVIDER_BASE_URL}`, `{MODEL_PROVIDER_DEFAULT_MODEL}` and
 * `{MODEL_PROVIDER_NAME}`, in one pass: a replacement is never looked at again. Other braces stay.
 */
export function expandModelProviderTemplates(value: string, provider: ModelProviderConfig): string {
  return value.replace(template, (_, name: keyof typeof templateFields) => provider[templateFields[name]]);
}
