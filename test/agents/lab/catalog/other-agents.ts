import { apiKey, json, none, offline, type AskingTool, type CatalogAgent } from './catalog-agent.ts';

const shellTool = (name: string): AskingTool => ({
  name,
  input: (file) => ({ command: `touch '${file}'`, description: 'Make a file' }),
});

const quiet = { privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false } };

const gemini: CatalogAgent = {
  name: 'gemini-cli-0.61.0',
  packages: ['@google/gemini-cli@0.61.0'],
  node: 24,
  command: 'gemini',
  args: ['--acp'],
  preset: 'gemini',
  api: 'gemini',
  environment: () => ({ ...offline, GEMINI_TELEMETRY_ENABLED: 'false', GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
  credentials: ({ modelsUrl }) => ({ GEMINI_API_KEY: apiKey, GOOGLE_GEMINI_BASE_URL: modelsUrl }),
  files: () => ({
    '.gemini/settings.json': json({
      ...quiet,
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    }),
  }),
  filesWithoutLogin: none,
  askingTool: shellTool('run_shell_command'),
};

const qwen: CatalogAgent = {
  name: 'qwen-code-0.24.4',
  packages: ['@qwen-code/qwen-code@0.24.4'],
  node: 24,
  command: 'qwen',
  args: ['--acp'],
  preset: 'qwen',
  api: 'openai-chat',
  environment: () => offline,
  credentials: ({ modelsUrl }) => ({
    OPENAI_API_KEY: apiKey,
    OPENAI_BASE_URL: `${modelsUrl}/v1`,
    OPENAI_MODEL: 'mock-model',
  }),
  files: () => ({
    '.qwen/settings.json': json({
      ...quiet,
      $version: 3,
      security: { auth: { selectedType: 'openai' } },
      general: { enableAutoUpdate: false, disableAutoUpdate: true },
    }),
  }),
  filesWithoutLogin: none,
  askingTool: shellTool('run_shell_command'),
};

const opencode: CatalogAgent = {
  name: 'opencode-1.18.33',
  packages: ['opencode-ai@1.18.33'],
  node: 24,
  command: 'opencode',
  args: ['acp'],
  preset: 'opencode',
  api: 'openai-chat',
  environment: () => ({
    ...offline,
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }),
  credentials: none,
  files: ({ modelsUrl }) => ({
    '.config/opencode/opencode.json': json({
      $schema: 'https://opencode.ai/config.json',
      autoupdate: false,
      share: 'disabled',
      permission: { bash: 'ask' },
      model: 'mock/mock-model',
      small_model: 'mock/mock-model',
      provider: {
        mock: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Mock',
          options: { baseURL: `${modelsUrl}/v1`, apiKey },
          models: { 'mock-model': { name: 'Mock', limit: { context: 100_000, output: 8_000 } } },
        },
      },
    }),
  }),
  filesWithoutLogin: none,
  askingTool: shellTool('bash'),
};

const pi: CatalogAgent = {
  name: 'pi-acp-0.0.34',
  packages: ['pi-acp@0.0.34', '@earendil-works/pi-coding-agent@1.6.0'],
  node: 24,
  command: 'pi-acp',
  args: [],
  preset: 'pi',
  api: 'openai-chat',
  environment: () => ({ ...offline, PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' }),
  credentials: none,
  files: ({ modelsUrl }) => ({
    '.pi/agent/models.json': json({
      providers: {
        mock: {
          baseUrl: `${modelsUrl}/v1`,
          apiKey,
          api: 'openai-completions',
          models: [
            {
              id: 'mock-model',
              name: 'Mock',
              reasoning: false,
              input: ['text'],
              cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
              contextWindow: 128_000,
              maxTokens: 8_000,
            },
          ],
        },
      },
    }),
    '.pi/agent/settings.json': json({ defaultProvider: 'mock', defaultModel: 'mock-model' }),
  }),
  filesWithoutLogin: none,
};

const copilot: CatalogAgent = {
  name: 'copilot-1.0.102',
  packages: ['@github/copilot@1.0.102'],
  node: 24,
  command: 'copilot',
  args: ['--acp'],
  preset: 'copilot',
  api: 'openai-chat',
  environment: () => ({ ...offline, COPILOT_AUTO_UPDATE: 'false' }),
  credentials: ({ modelsUrl }) => ({
    COPILOT_PROVIDER_BASE_URL: `${modelsUrl}/v1`,
    COPILOT_PROVIDER_API_KEY: apiKey,
    COPILOT_MODEL: 'mock-model',
    COPILOT_OFFLINE: 'true',
  }),
  files: none,
  filesWithoutLogin: none,
  askingTool: shellTool('bash'),
};

const cline: CatalogAgent = {
  name: 'cline-3.0.65',
  packages: ['cline@3.0.65'],
  node: 24,
  command: 'cline',
  args: ['--acp'],
  preset: 'cline',
  api: undefined,
  environment: () => ({ ...offline, CLINE_TELEMETRY_DISABLED: '1', CLINE_NO_AUTO_UPDATE: '1' }),
  credentials: none,
  files: none,
  filesWithoutLogin: none,
};

const auggie: CatalogAgent = {
  name: 'auggie-0.36.0',
  packages: ['@augmentcode/auggie@0.36.0'],
  node: 24,
  command: 'auggie',
  args: ['--acp'],
  preset: 'auggie',
  api: undefined,
  environment: () => offline,
  credentials: none,
  files: none,
  filesWithoutLogin: none,
};

export const otherAgents: readonly CatalogAgent[] = [gemini, qwen, opencode, pi, copilot, cline, auggie];
