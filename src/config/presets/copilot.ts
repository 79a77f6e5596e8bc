import type { ModelProviderConfig } from '../model-provider.ts';
import type { AgentPreset } from './agent-preset.ts';

function modelEnvironment({
  apiProtocol,
  apiKey,
  baseUrl,
  defaultModel,
}: ModelProviderConfig): Record<string, string> {
  if (baseUrl === '') return { COPILOT_MODEL: defaultModel };
  return {
    COPILOT_PROVIDER_TYPE: apiProtocol ?? 'openai',
    COPILOT_PROVIDER_BASE_URL: baseUrl,
    COPILOT_PROVIDER_API_KEY: apiKey,
    COPILOT_MODEL: defaultModel,
  };
}

/** GitHub Copilot's CLI. */
export const copilot: AgentPreset = {
  name: 'copilot',
  commands: ['copilot'],
  args: ['--acp'],
  packages: [{ spec: '@github/copilot@1.0.102', minNodeMajor: 20 }],
  env: { COPILOT_AUTO_UPDATE: 'false' },
  vendorVariables: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'],
  stateVariables: ['COPILOT_HOME'],
  modelEnvironment,
  resumeStrategy: 'native',
};
