import type {
  AvailableCommand,
  PlanEntry,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
  UsageUpdate,
} from '@agentclientprotocol/sdk';

/** What is currently true of a session, as far as the agent has said. */
export interface SessionState {
  readonly modes?: SessionModeState;
  readonly configOptions?: readonly SessionConfigOption[];
  readonly availableCommands?: readonly AvailableCommand[];
  readonly plan?: readonly PlanEntry[];
  readonly usage?: Omit<UsageUpdate, 'sessionUpdate'>;
  readonly title?: string;
}

/** The state that the response to `session/new`, `session/load` or `session/resume` carries. */
export function stateFromResponse(response: unknown): SessionState {
  const { modes, configOptions } = (response ?? {}) as {
    modes?: SessionModeState | null;
    configOptions?: unknown;
  };
  return {
    ...(modes === null || modes === undefined ? {} : { modes }),
    ...(Array.isArray(configOptions) ? { configOptions: configOptions as SessionConfigOption[] } : {}),
  };
}

/** The state after an update; the same object where the update says nothing that is state. */
export function applyUpdate(state: SessionState, update: SessionUpdate): SessionState {
  switch (update.sessionUpdate) {
    case 'current_mode_update':
      return withMode(state, update.currentModeId);
    case 'config_option_update':
      return Array.isArray(update.configOptions) ? { ...state, configOptions: update.configOptions } : state;
    case 'available_commands_update':
      return Array.isArray(update.availableCommands)
        ? { ...state, availableCommands: update.availableCommands }
        : state;
    case 'plan':
      return Array.isArray(update.entries) ? { ...state, plan: update.entries } : state;
    case 'usage_update': {
      const { sessionUpdate: _kind, ...usage } = update;
      return { ...state, usage };
    }
    case 'session_info_update':
      return typeof update.title === 'string' ? { ...state, title: update.title } : state;
    default:
      return state;
  }
}

export function withMode(state: SessionState, currentModeId: string): SessionState {
  return { ...state, modes: { availableModes: [], ...state.modes, currentModeId } };
}
