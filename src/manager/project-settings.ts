import type { AgentSession } from '../agent-session.ts';
import {
  applySetting,
  noSettings,
  restoreSettings,
  withoutModel,
  type SessionSettings,
  type SettingChange,
} from '../session/session-settings.ts';

/** The modes and options that were set in a project's session, for its next session. */
export class ProjectSettings {
  #settings: SessionSettings = noSettings;
  /** The model that the agent was told to use when they were made. */
  #model: string | undefined;

  note(change: SettingChange, session: AgentSession): void {
    this.#settings = applySetting(this.#settings, change, session.state);
  }

  clear(): void {
    this.#settings = noSettings;
  }

  /** The session itself was switched to another model, which was noted. */
  switchedModel(model: string): void {
    this.#model = model;
  }

  /** The agent is started with this model: another one that was set in a session before must not take its place. */
  startsWithModel(model: string): void {
    if (this.#model !== undefined && this.#model !== model) this.#settings = withoutModel(this.#settings);
    this.#model = model;
  }

  /** Sets again what the new session does not have; returns what it did not take. */
  async restore(session: AgentSession): Promise<readonly { setting: string; error: unknown }[]> {
    const lost: { setting: string; error: unknown }[] = [];
    await restoreSettings(session, this.#settings, (setting, error) => lost.push({ setting, error }));
    return lost;
  }
}
