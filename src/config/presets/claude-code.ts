import type { ModelProviderConfig } from '../model-provider.ts';
import type { AgentPreset } from './agent-preset.ts';

/**
 * Adapters before 0.31 pass over `ANTHROPIC_MODEL`, and all of them ask a smaller model for titles and the like: a
 * service of one's own gets its own model's name under each of the names that Claude Code would ask it for.
 */
function modelEnvironment({
  apiProtocol,
  baseUrl,
  defaultModel,
}: ModelProviderConfig): Record<string, string> {
  if (apiProtocol === 'openai' || baseUrl === '') return {};
  return {
    ANTHROPIC_DEFAULT_SONNET_MODEL: defaultModel,
    ANTHROPIC_DEFAULT_OPUS_MODEL: defaultModel,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: defaultModel,
  };
}

/** Claude Code behind its ACP adapter, under any of the names that the adapter has had. */
export const claudeCode: AgentPreset = {
  name: 'claude-code',
  commandVariable: 'CLAUDE_CODE_ACP_PATH',
  commands: ['claude-agent-acp', 'claude-code-acp-ts', 'claude-code-acp'],
  args: [],
  packages: [
    { spec: '@agentclientprotocol/claude-agent-acp@0.101.0', minNodeMajor: 22 },
    // The last version that does not ask for Node 22.
    { spec: '@agentclientprotocol/claude-agent-acp@0.49.0', minNodeMajor: 20 },
  ],
  env: { DISABLE_AUTOUPDATER: '1' },
  // Not `CLAUDE_*`: most of those are marks of a surrounding session.
  vendorVariables: [
    'ANTHROPIC_*',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_*',
    'CLAUDE_CODE_MAX_*',
    'CLAUDE_CODE_DISABLE_*',
    'CLAUDE_CODE_EXECUTABLE',
  ],
  stateVariables: ['CLAUDE_CONFIG_DIR'],
  modelEnvironment,
  resumeStrategy: 'meta',
};
