import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { PromptTurn } from './prompt-turn.ts';
import type { SettingChange } from './session-settings.ts';
import type { UpdatePhase } from './update-delivery.ts';

export type SessionEvents = {
  /** A prompt was sent. */
  'turn-start': readonly [turn: PromptTurn];
  /** A turn that was started has settled; after the turn's own `end`. */
  'turn-end': readonly [turn: PromptTurn];
  /** Every update, in the order of arrival, before the turn's own listeners see it. */
  update: readonly [update: SessionUpdate, context: { readonly phase: UpdatePhase }];
  /**
   * The client's `sessionUpdate` stands still while as many updates wait for it as may: the agent is held back until it
   * goes on, which it never does if it waits for the end of the turn.
   */
  stalled: readonly [];
  /** The number of the agent's requests that wait for the client changed, such as an open permission. */
  'client-requests': readonly [open: number];
  /** The agent ignored a cancel; the turn was settled without it, and the agent should be replaced. */
  'cancel-ignored': readonly [turn: PromptTurn];
  /** A mode or an option was set by the caller. */
  setting: readonly [change: SettingChange];
  /** A handler or listener of the caller threw, or could not keep up. */
  'listener-error': readonly [error: unknown];
  /** The session has ended; nothing follows. */
  close: readonly [];
};
