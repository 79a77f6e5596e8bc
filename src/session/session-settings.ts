import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import { invalidConfig } from '../errors/invalid-config.ts';
import { checkText } from '../internal/check-input.ts';
import { assertOffered } from './advertised.ts';
import type { SessionState } from './session-state.ts';

/** A mode or an option that the caller set. */
export type SettingChange =
  { readonly modeId: string } | { readonly configId: string; readonly value: string | boolean };

/** What the caller has set in a project's session, so that its next session gets it too. */
export interface SessionSettings {
  readonly modeId?: string;
  readonly configOptions: Readonly<Record<string, string | boolean>>;
  /** Which of the options is the model. */
  readonly modelOptionId?: string;
}

export const noSettings: SessionSettings = Object.freeze({ configOptions: {} });

/** A session in which settings can be made. */
interface SettableSession {
  readonly state: SessionState;
  setMode(modeId: string): Promise<void>;
  setConfigOption(configId: string, value: string | boolean): Promise<void>;
}

/**
 * The parameters of `session/set_mode`.
 *
 * @throws AcpLauncherError `invalid-config`; `capability-missing` for a mode that the agent does not offer.
 */
export function modeParams({ modes }: SessionState, sessionId: string, modeId: string): object {
  checkText(modeId, 'modeId');
  assertOffered('mode', modeId, modes?.availableModes.map((mode) => mode.id) ?? [], sessionId);
  return { sessionId, modeId };
}

/**
 * The parameters of `session/set_config_option`.
 *
 * @throws AcpLauncherError `invalid-config`; `capability-missing` for an option that the agent does not offer.
 */
export function configOptionParams(
  { configOptions }: SessionState,
  sessionId: string,
  configId: string,
  value: string | boolean,
): object {
  checkText(configId, 'configId');
  if (typeof value !== 'string' && typeof value !== 'boolean')
    throw invalidConfig('value', 'must be a text, or true or false');
  assertOffered('config option', configId, configOptions?.map((option) => option.id) ?? [], sessionId);
  return { sessionId, configId, ...(typeof value === 'boolean' ? { type: 'boolean' } : {}), value };
}

export function applySetting(
  settings: SessionSettings,
  change: SettingChange,
  state: SessionState,
): SessionSettings {
  if ('modeId' in change) return { ...settings, modeId: change.modeId };
  const { configId, value } = change;
  const isModel = modelOption(state)?.id === configId;
  return {
    ...settings,
    configOptions: { ...settings.configOptions, [configId]: value },
    ...(isModel ? { modelOptionId: configId } : {}),
  };
}

/** Sets again what was set before; what the agent refuses now is told, and the rest is set all the same. */
export async function restoreSettings(
  session: SettableSession,
  { modeId, configOptions }: SessionSettings,
  onLost: (setting: string, error: unknown) => void,
): Promise<void> {
  const current = new Map(session.state.configOptions?.map((option) => [option.id, option.currentValue]));
  for (const [configId, value] of Object.entries(configOptions)) {
    if (current.get(configId) === value) continue;
    await session.setConfigOption(configId, value).catch((error: unknown) => onLost(configId, error));
  }
  if (modeId === undefined || session.state.modes?.currentModeId === modeId) return;
  await session.setMode(modeId).catch((error: unknown) => onLost('mode', error));
}

/** Switches the model of a running agent, where it offers this one as a config option. Whether it did. */
export async function switchModel(session: SettableSession, model: string | undefined): Promise<boolean> {
  const option = modelOption(session.state);
  if (model === undefined || option === undefined) return false;
  const offered = option.options.flatMap((entry) => ('options' in entry ? entry.options : [entry]));
  if (!offered.some(({ value }) => value === model)) return false;
  try {
    await session.setConfigOption(option.id, model);
    return true;
  } catch {
    // The old session is as usable as before; the model is changed by a restart instead.
    return false;
  }
}

/** The settings without the model: an agent that is started with another one must not be set back to the last. */
export function withoutModel(settings: SessionSettings): SessionSettings {
  const { modelOptionId, ...others } = settings;
  const kept = Object.entries(others.configOptions).filter(([configId]) => configId !== modelOptionId);
  return { ...others, configOptions: Object.fromEntries(kept) };
}

function modelOption({ configOptions }: SessionState) {
  return configOptions?.find(
    (option) => option.category === 'model' && option.type === 'select' && Array.isArray(option.options),
  ) as Extract<SessionConfigOption, { type: 'select' }> | undefined;
}
