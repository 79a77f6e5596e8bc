import type { SessionUpdate } from '@agentclientprotocol/sdk';

/** What agents tell of a session at any time, also in the middle of a turn that they then refuse. */
const stateKinds = new Set<string>([
  'available_commands_update',
  'config_option_update',
  'current_mode_update',
  'session_info_update',
  'usage_update',
]);

/** Whether the update shows that the agent works on a prompt. One of a kind that is not known does. */
export function showsWork(update: SessionUpdate): boolean {
  return !stateKinds.has(update.sessionUpdate);
}
