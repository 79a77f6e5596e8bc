import { json, offline, type CatalogAgent } from './catalog-agent.ts';

/** Every published adapter of Claude Code that behaves in a way of its own: see the resume scenarios. */
const versions: readonly { readonly npm: string; readonly prefix?: string; readonly node: 'host' | 24 }[] = [
  { npm: '@agentclientprotocol/claude-agent-acp@0.101.0', node: 24 },
  { npm: '@agentclientprotocol/claude-agent-acp@0.57.0', node: 24 },
  // The one that npx gets on Node 20.
  { npm: '@agentclientprotocol/claude-agent-acp@0.49.0', node: 'host' },
  { npm: '@agentclientprotocol/claude-agent-acp@0.31.0', node: 24 },
  { npm: '@zed-industries/claude-agent-acp@0.23.1', prefix: 'zed-', node: 'host' },
  { npm: '@zed-industries/claude-code-acp@0.16.2', node: 'host' },
  { npm: '@zed-industries/claude-code-acp@0.13.1', node: 'host' },
  { npm: '@zed-industries/claude-code-acp@0.12.6', node: 'host' },
];

export const claudeAgents: readonly CatalogAgent[] = versions.map(({ npm, prefix = '', node }) => ({
  name: `${prefix}${npm.replace(/^@[^/]+\//, '').replace('@', '-')}`,
  packages: [npm],
  node,
  preset: 'claude-code',
  api: 'anthropic',
  environment: {
    ...offline,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // The newest ones hide MCP tools from the model until it searches for them.
    ENABLE_TOOL_SEARCH: 'false',
  },
  // The newest one starts in a mode that decides on permissions by itself.
  files: { '.claude/settings.json': json({ permissions: { defaultMode: 'default' } }) },
  askingTool: {
    name: 'Bash',
    input: (file) => ({ command: `touch '${file}'`, description: 'Make a file' }),
  },
  mcp: 'stdio',
}));
