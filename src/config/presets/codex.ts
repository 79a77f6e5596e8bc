import type { ModelProviderConfig } from '../model-provider.ts';
import type { AgentPreset } from './agent-preset.ts';

const providerId = 'acp-launcher';

/** Codex takes a base URL from its configuration alone, and the adapter takes that from a variable. */
function modelEnvironment({
  apiProtocol,
  baseUrl,
  defaultModel,
  name,
}: ModelProviderConfig): Record<string, string> {
  if (apiProtocol === 'anthropic') return {};
  const model = defaultModel === '' ? {} : { model: defaultModel };
  if (baseUrl === '') return { CODEX_CONFIG: JSON.stringify(model) };
  const provider = { name, base_url: baseUrl, env_key: 'OPENAI_API_KEY', wire_api: 'responses' };
  const config = { ...model, model_provider: providerId, model_providers: { [providerId]: provider } };
  return { CODEX_CONFIG: JSON.stringify(config) };
}

/** OpenAI's Codex behind its ACP adapter. It speaks OpenAI's Responses API only. */
export const codex: AgentPreset = {
  name: 'codex',
  commands: ['codex-acp'],
  args: [],
  packages: [{ spec: '@agentclientprotocol/codex-acp@2.6.0', minNodeMajor: 20 }],
  env: {},
  vendorVariables: ['OPENAI_*', 'CODEX_*'],
  stateVariables: ['CODEX_HOME'],
  modelEnvironment,
  resumeStrategy: 'native',
};
