import { modelName, offline, type CatalogAgent } from './catalog-agent.ts';

const codex: Omit<CatalogAgent, 'name' | 'packages' | 'node' | 'environment'> = {
  preset: 'codex',
  api: 'openai-responses',
  askingTool: {
    name: 'exec_command',
    input: (file) => ({
      cmd: `touch '${file}'`,
      sandbox_permissions: 'require_escalated',
      justification: 'The file is wanted.',
    }),
  },
  mcp: 'stdio',
};

export const codexAgents: readonly CatalogAgent[] = [
  {
    ...codex,
    name: 'codex-acp-2.6.0',
    packages: ['@agentclientprotocol/codex-acp@2.6.0'],
    node: 24,
    // Its first mode lets a model review what it does, and asks nobody.
    environment: { ...offline, INITIAL_AGENT_MODE: 'workspace-write' },
  },
  {
    ...codex,
    name: 'zed-codex-acp-0.16.0',
    packages: ['@zed-industries/codex-acp@0.16.0'],
    node: 'host',
    environment: offline,
    // It does not know the variable that the preset sets for its successor.
    loginArgs: (modelsUrl) => [
      ...['-c', `model="${modelName}"`],
      ...['-c', 'model_provider="mock"'],
      ...[
        '-c',
        `model_providers.mock={name="mock",base_url="${modelsUrl}/v1",env_key="OPENAI_API_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`,
      ],
    ],
  },
];
