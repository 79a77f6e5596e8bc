import type { AgentPreset } from './agent-preset.ts';

/** Qwen Code. It reads the variables of both protocols, OpenAI's first. */
export const qwen: AgentPreset = {
  name: 'qwen',
  commands: ['qwen'],
  args: ['--acp'],
  packages: [{ spec: '@qwen-code/qwen-code@0.24.4', minNodeMajor: 22 }],
  env: {},
  vendorVariables: ['QWEN_*', 'DASHSCOPE_*', 'OPENAI_*'],
  stateVariables: ['QWEN_HOME', 'QWEN_RUNTIME_DIR'],
  resumeStrategy: 'native',
};
