import type { AgentPreset } from './agent-preset.ts';

/** Augment's CLI. It speaks to its own service alone: a model provider means nothing to it. */
export const auggie: AgentPreset = {
  name: 'auggie',
  commands: ['auggie'],
  args: ['--acp'],
  packages: [{ spec: '@augmentcode/auggie@0.36.0', minNodeMajor: 20 }],
  env: { AUGMENT_DISABLE_AUTO_UPDATE: '1' },
  vendorVariables: ['AUGMENT_*'],
  stateVariables: [],
  resumeStrategy: 'native',
};
