import type { PromptResponse } from '@agentclientprotocol/sdk';
import type { AgentWire } from '../wire/agent-wire.ts';
import type { TurnPort } from './prompt-turn.ts';

/** What of a turn's port is the session's own. */
export type SessionSide = Pick<TurnPort, 'dequeue' | 'cancelIgnored' | 'started' | 'settled'> & {
  /** Answers the requests of the agent that wait for the client. */
  readonly cancelClientRequests: () => void;
};

/** Connects a turn with the wire; `params` are those of its `session/prompt`. */
export function createTurnPort(
  wire: AgentWire,
  params: { readonly sessionId: string },
  session: SessionSide,
): TurnPort {
  const { sessionId } = params;
  const place = { phase: 'prompt', method: 'session/prompt', sessionId } as const;
  const reader = { promptParams: params };
  return {
    ...session,
    sessionId,
    sendPrompt: (onResponse) =>
      wire.request<PromptResponse | null>({ ...place, params, timeoutMs: 0, onResponse }),
    sendCancel: () => {
      session.cancelClientRequests();
      void wire.notify('session/cancel', { sessionId });
    },
    giveUp: () => wire.forget(params),
    pause: () => wire.pauseFor(reader),
    resume: () => wire.resumeFor(reader),
  };
}
