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
  const { modes, configOptions } = (response ?? {}) as { modes?: unknown; configOptions?: unknown };
  return {
    ...(isModeState(modes) ? { modes } : {}),
    ...(isListOfObjects<SessionConfigOption>(configOptions) ? { configOptions } : {}),
  };
}

/** The state after an update; the same object where the update says nothing that is state. */
export function applyUpdate(state: SessionState, update: SessionUpdate): SessionState {
  switch (update.sessionUpdate) {
    case 'current_mode_update':
      return isText(update.currentModeId) ? withMode(state, update.currentModeId) : state;
    case 'config_option_update':
      return withConfigOptions(state, update.configOptions);
    case 'available_commands_update':
      return isListOfObjects(update.availableCommands)
        ? { ...state, availableCommands: update.availableCommands }
        : state;
    case 'plan':
      return isListOfObjects(update.entries) ? { ...state, plan: update.entries } : state;
    case 'usage_update': {
      const { sessionUpdate: _kind, ...usage } = update;
      return { ...state, usage };
    }
    case 'session_info_update':
      return withTitle(state, update.title);
    default:
      return state;
  }
}

export function withMode(state: SessionState, currentModeId: string): SessionState {
  return { ...state, modes: { availableModes: [], ...state.modes, currentModeId } };
}

/** @param configOptions - As the agent sent them. */
export function withConfigOptions(state: SessionState, configOptions: unknown): SessionState {
  return isListOfObjects<SessionConfigOption>(configOptions) ? { ...state, configOptions } : state;
}

/** `null` takes the title away; nothing at all leaves it. */
function withTitle(state: SessionState, title: unknown): SessionState {
  if (isText(title)) return { ...state, title };
  if (title !== null || state.title === undefined) return state;
  const { title: _title, ...rest } = state;
  return rest;
}

const isText = (value: unknown): value is string => typeof value === 'string';

// Agents are not always as typed, and what is kept here is read by callers without a look.
function isListOfObjects<Item>(value: unknown): value is Item[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
}

function isModeState(value: unknown): value is SessionModeState {
  const { availableModes, currentModeId } = (value ?? {}) as Record<string, unknown>;
  return isListOfObjects(availableModes) && isText(currentModeId);
}
