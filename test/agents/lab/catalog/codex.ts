import { apiKey, none, offline, type CatalogAgent, type Place } from './catalog-agent.ts';

/** codex reaches a model of one's own only through its configuration file. */
const config = ({ modelsUrl }: Place) => ({
  '.codex/config.toml': `model = "mock-model"
model_provider = "mock"
approval_policy = "on-request"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.mock]
name = "mock"
base_url = "${modelsUrl}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
`,
});

const codex: Omit<CatalogAgent, 'name' | 'packages' | 'node'> = {
  command: 'codex-acp',
  args: [],
  preset: 'codex',
  api: 'openai-responses',
  environment: () => offline,
  credentials: () => ({ OPENAI_API_KEY: apiKey }),
  files: config,
  filesWithoutLogin: none,
  askingTool: {
    name: 'exec_command',
    input: (file) => ({
      cmd: `touch '${file}'`,
      sandbox_permissions: 'require_escalated',
      justification: 'The file is wanted.',
    }),
  },
};

export const codexAgents: readonly CatalogAgent[] = [
  {
    ...codex,
    name: 'codex-acp-2.6.0',
    packages: ['@agentclientprotocol/codex-acp@2.6.0'],
    node: 24,
    // Its first mode lets a model review what it does.
    environment: () => ({ ...offline, INITIAL_AGENT_MODE: 'workspace-write' }),
  },
  { ...codex, name: 'zed-codex-acp-0.16.0', packages: ['@zed-industries/codex-acp@0.16.0'], node: 'host' },
];
