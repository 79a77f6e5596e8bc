import type { AgentPreset } from './agent-preset.ts';

/**
 * pi behind its ACP adapter, which looks for `pi` on the PATH. pi reads the usual key variables, but a base URL
 * or a model only from its own `models.json`.
 */
export const pi: AgentPreset = {
  name: 'pi',
  commands: ['pi-acp'],
  args: [],
  packages: [
    { spec: 'pi-acp@0.0.34', companions: ['@earendil-works/pi-coding-agent@1.6.0'], minNodeMajor: 22 },
  ],
  env: { PI_SKIP_VERSION_CHECK: '1' },
  vendorVariables: ['PI_*'],
  stateVariables: ['PI_CODING_AGENT_DIR'],
  resumeStrategy: 'native',
};
