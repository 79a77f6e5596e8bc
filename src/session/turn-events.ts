import type { PromptResponse, SessionUpdate } from '@agentclientprotocol/sdk';

export type TurnEvents = {
  /** The prompt was sent. */
  start: readonly [];
  /** An update arrived; in the order of arrival. */
  update: readonly [update: SessionUpdate];
  /** The iterator stands still while as many updates wait for it as may. */
  stalled: readonly [];
  /** The turn has settled, one way or the other; nothing follows. */
  end: readonly [outcome: TurnOutcome];
};

export type TurnOutcome = { readonly response: PromptResponse } | { readonly error: unknown };
