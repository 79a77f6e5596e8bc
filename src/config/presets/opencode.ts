import type { ModelProviderConfig } from '../model-provider.ts';
import type { AgentPreset } from './agent-preset.ts';

const providerId = 'acp-launcher';

/** opencode takes a provider from its configuration alone; the key stays in its own variable. */
function modelEnvironment({
  apiProtocol,
  baseUrl,
  defaultModel,
  name,
}: ModelProviderConfig): Record<string, string> {
  if (baseUrl === '' || defaultModel === '') return {};
  const anthropic = apiProtocol === 'anthropic';
  const provider = {
    npm: anthropic ? '@ai-sdk/anthropic' : '@ai-sdk/openai-compatible',
    name,
    options: {
      baseURL: anthropic ? withVersion(baseUrl) : baseUrl,
      apiKey: anthropic ? '{env:ANTHROPIC_API_KEY}' : '{env:OPENAI_API_KEY}',
    },
    models: { [defaultModel]: { name: defaultModel } },
  };
  const model = `${providerId}/${defaultModel}`;
  const config = { model, small_model: model, provider: { [providerId]: provider } };
  return { OPENCODE_MODEL: model, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) };
}

/** Anthropic's own clients add `/v1` to their base URL, opencode's does not. */
function withVersion(baseUrl: string): string {
  const trimmed = baseUrl.replace(/\/+$/, '');
  return /\/v\d+$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}

/** opencode, of any vendor's models; only its own variables pass from the host by themselves. */
export const opencode: AgentPreset = {
  name: 'opencode',
  commands: ['opencode'],
  args: ['acp'],
  packages: [{ spec: 'opencode-ai@1.18.33', minNodeMajor: 20 }],
  env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
  vendorVariables: ['OPENCODE_*'],
  stateVariables: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'OPENCODE_DB'],
  modelEnvironment,
  resumeStrategy: 'native',
};
