import {
  apiKey,
  json,
  modelName,
  offline,
  otherModelName,
  type AskingTool,
  type CatalogAgent,
} from './catalog-agent.ts';

const shellTool = (name: string): AskingTool => ({
  name,
  input: (file) => ({ command: `touch '${file}'`, description: 'Make a file' }),
});

const gemini: CatalogAgent = {
  name: 'gemini-cli-0.61.0',
  packages: ['@google/gemini-cli@0.61.0'],
  node: 24,
  preset: 'gemini',
  api: 'gemini',
  environment: { ...offline, GEMINI_TELEMETRY_ENABLED: 'false', GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  askingTool: shellTool('run_shell_command'),
  resumableNextMinute: true,
  keepSessionsFiles: {
    '.gemini/settings.json': json({ general: { sessionRetention: { enabled: false } } }),
  },
  mcp: 'stdio',
};

const qwen: CatalogAgent = {
  name: 'qwen-code-0.24.4',
  packages: ['@qwen-code/qwen-code@0.24.4'],
  node: 24,
  preset: 'qwen',
  api: 'openai-chat',
  environment: offline,
  askingTool: shellTool('run_shell_command'),
  mcp: 'stdio',
  callMcpTool: (server, tool, input) => ({
    name: 'tool_call',
    input: { name: `mcp__${server}__${tool}`, arguments: input },
  }),
};

const opencode: CatalogAgent = {
  name: 'opencode-1.18.33',
  packages: ['opencode-ai@1.18.33'],
  node: 24,
  preset: 'opencode',
  api: 'openai-chat',
  environment: {
    ...offline,
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  },
  files: { '.config/opencode/opencode.json': json({ share: 'disabled', permission: { bash: 'ask' } }) },
  askingTool: shellTool('bash'),
  mcp: 'stdio',
};

const pi: CatalogAgent = {
  name: 'pi-acp-0.0.34',
  packages: ['pi-acp@0.0.34', '@earendil-works/pi-coding-agent@1.6.0'],
  node: 24,
  preset: 'pi',
  api: 'openai-chat',
  environment: { ...offline, PI_OFFLINE: '1', PI_TELEMETRY: '0' },
  loginFiles: (modelsUrl) => ({
    '.pi/agent/models.json': json({
      providers: {
        mock: {
          baseUrl: `${modelsUrl}/v1`,
          apiKey,
          api: 'openai-completions',
          models: [modelName, otherModelName].map((id) => ({
            id,
            name: id,
            reasoning: false,
            input: ['text'],
            cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
            contextWindow: 128_000,
            maxTokens: 8_000,
          })),
        },
      },
    }),
    '.pi/agent/settings.json': json({ defaultProvider: 'mock', defaultModel: modelName }),
  }),
  otherModel: `mock/${otherModelName}`,
  askingTool: shellTool('bash'),
  mcp: 'none',
};

const copilot: CatalogAgent = {
  name: 'copilot-1.0.102',
  packages: ['@github/copilot@1.0.102'],
  node: 24,
  preset: 'copilot',
  api: 'openai-chat',
  environment: { ...offline, COPILOT_AUTO_UPDATE: 'false' },
  askingTool: shellTool('bash'),
  mcp: 'http',
};

const cline: CatalogAgent = {
  name: 'cline-3.0.65',
  packages: ['cline@3.0.65'],
  node: 24,
  preset: 'cline',
  api: undefined,
  environment: { ...offline, CLINE_TELEMETRY_DISABLED: '1' },
  mcp: 'none',
};

const auggie: CatalogAgent = {
  name: 'auggie-0.36.0',
  packages: ['@augmentcode/auggie@0.36.0'],
  node: 24,
  preset: 'auggie',
  api: undefined,
  environment: offline,
  mcp: 'none',
};

export const otherAgents: readonly CatalogAgent[] = [gemini, qwen, opencode, pi, copilot, cline, auggie];
