import { deepFreeze } from '../json-value.ts';
import { invalidConfig } from '../../errors/invalid-config.ts';
import type { AgentPreset } from './agent-preset.ts';
import { auggie } from './auggie.ts';
import { claudeCode } from './claude-code.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';

const presets = deepFreeze({
  'claude-code': claudeCode,
  codex,
  gemini,
  qwen,
  opencode,
  pi,
  copilot,
  cline,
  auggie,
} satisfies Record<string, AgentPreset>);

/** The agents that the launcher knows by name. */
export type AgentPresetName = keyof typeof presets;

export const presetNames: readonly AgentPresetName[] = Object.freeze(
  Object.keys(presets) as AgentPresetName[],
);

/**
 * The preset of this name.
 * @throws `invalid-config` listing the known names.
 */
export function findPreset(name: string, field = 'agent'): AgentPreset {
  const known: Readonly<Record<string, AgentPreset>> = presets;
  const preset = Object.hasOwn(known, name) ? known[name] : undefined;
  if (preset) return preset;
  const names = presetNames.map((known) => `"${known}"`).join(', ');
  throw invalidConfig(field, `there is no agent preset ${JSON.stringify(name)}; known are ${names}`);
}
