import { apiKey, json, none, offline, type CatalogAgent } from './catalog-agent.ts';

/** Every published adapter of Claude Code that behaves in a way of its own: see the resume scenarios. */
const versions: readonly (Pick<CatalogAgent, 'name' | 'node' | 'command'> & { readonly npm: string })[] = [
  {
    name: 'claude-agent-acp-0.101.0',
    npm: '@agentclientprotocol/claude-agent-acp@0.101.0',
    node: 24,
    command: 'claude-agent-acp',
  },
  {
    name: 'claude-agent-acp-0.57.0',
    npm: '@agentclientprotocol/claude-agent-acp@0.57.0',
    node: 24,
    command: 'claude-agent-acp',
  },
  {
    name: 'claude-agent-acp-0.31.0',
    npm: '@agentclientprotocol/claude-agent-acp@0.31.0',
    node: 24,
    command: 'claude-agent-acp',
  },
  {
    name: 'zed-claude-agent-acp-0.23.1',
    npm: '@zed-industries/claude-agent-acp@0.23.1',
    node: 'host',
    command: 'claude-agent-acp',
  },
  {
    name: 'claude-code-acp-0.16.2',
    npm: '@zed-industries/claude-code-acp@0.16.2',
    node: 'host',
    command: 'claude-code-acp',
  },
  {
    name: 'claude-code-acp-0.13.1',
    npm: '@zed-industries/claude-code-acp@0.13.1',
    node: 'host',
    command: 'claude-code-acp',
  },
  {
    name: 'claude-code-acp-0.12.6',
    npm: '@zed-industries/claude-code-acp@0.12.6',
    node: 'host',
    command: 'claude-code-acp',
  },
];

export const claudeAgents: readonly CatalogAgent[] = versions.map(({ npm, ...version }) => ({
  ...version,
  packages: [npm],
  args: [],
  preset: 'claude-code',
  api: 'anthropic',
  environment: () => ({ ...offline, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }),
  credentials: ({ modelsUrl }) => ({ ANTHROPIC_BASE_URL: modelsUrl, ANTHROPIC_API_KEY: apiKey }),
  // The newest one starts in a mode that decides on permissions by itself.
  files: () => ({ '.claude/settings.json': json({ permissions: { defaultMode: 'default' } }) }),
  filesWithoutLogin: none,
  askingTool: {
    name: 'Bash',
    input: (file) => ({ command: `touch '${file}'`, description: 'Make a file' }),
  },
}));
