import type { AgentPreset } from './agent-preset.ts';

/**
 * Google's Gemini CLI. What it has loaded once it deletes at its next start, unless its own `settings.json` has
 * `general.sessionRetention.enabled: false`; no variable and no argument says so.
 */
export const gemini: AgentPreset = {
  name: 'gemini',
  commands: ['gemini'],
  args: ['--acp'],
  packages: [{ spec: '@google/gemini-cli@0.61.0', minNodeMajor: 20 }],
  env: {},
  vendorVariables: ['GEMINI_*', 'GOOGLE_*'],
  stateVariables: ['GEMINI_CLI_HOME'],
  modelEnvironment: ({ apiKey, baseUrl, defaultModel }) => ({
    GEMINI_API_KEY: apiKey,
    GOOGLE_GEMINI_BASE_URL: baseUrl,
    GEMINI_MODEL: defaultModel,
  }),
  resumeStrategy: 'native',
};
