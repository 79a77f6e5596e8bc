import type { AgentPreset } from './agent-preset.ts';

/** Cline's CLI. It must have been logged in: a model provider's base URL does not reach it by variables. */
export const cline: AgentPreset = {
  name: 'cline',
  commands: ['cline'],
  args: ['--acp'],
  packages: [{ spec: 'cline@3.0.65', minNodeMajor: 20 }],
  env: { CLINE_NO_AUTO_UPDATE: '1' },
  vendorVariables: ['CLINE_*'],
  stateVariables: ['CLINE_DIR', 'CLINE_DATA_DIR'],
  resumeStrategy: 'native',
  // It ignores SIGTERM, and takes 1.1 s to follow the end of stdin.
  limits: { closeGraceMs: 3_000, terminateGraceMs: 250 },
};
