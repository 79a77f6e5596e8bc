import type { PromptResponse } from '@agentclientprotocol/sdk';
import type { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { AgentWire } from '../wire/agent-wire.ts';
import type { PromptTurn } from './prompt-turn.ts';

/** What a turn needs of the session that runs it. */
export interface TurnPort {
  readonly sessionId: string;
  /** Sends the prompt; `onAnswer` is called when the response line is read. */
  sendPrompt(onAnswer: () => void): Promise<PromptResponse | null>;
  /** @param what - What the turn did not do in time: `did not end`. */
  timeoutError(what: string, timeoutMs: number): AcpLauncherError;
  /** What the agent sent, as an error message may show it. */
  shown(value: unknown): string;
  /** Sends `session/cancel` and answers the open requests of the session. */
  sendCancel(): void;
  /** The prompt's answer will come late or never, and no longer matters. */
  giveUp(): void;
  pause(): void;
  resume(): void;
  /** Takes a turn that has not started out of the queue. */
  dequeue(turn: PromptTurn): void;
  /** The agent did not end the turn within `cancelTimeoutMs`. */
  cancelIgnored(turn: PromptTurn): void;
  /** The prompt was sent. */
  started(turn: PromptTurn): void;
  /** A turn that was started has settled. */
  settled(turn: PromptTurn): void;
  /** Whether another prompt waits for the end of the turn that runs. */
  endIsAwaited(): boolean;
  /** A listener of the turn threw. */
  listenerFailed(error: unknown): void;
}

/** What of a turn's port is the session's own. */
export type SessionSide = Pick<
  TurnPort,
  'dequeue' | 'cancelIgnored' | 'started' | 'settled' | 'endIsAwaited' | 'listenerFailed'
> & {
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
  const reader = { sessionId };
  return {
    ...session,
    sessionId,
    sendPrompt: (onAnswer) =>
      wire.request<PromptResponse | null>({ ...place, params, timeoutMs: 0, onResponse: onAnswer }),
    timeoutError: (what, timeoutMs) => wire.timeoutError(place, timeoutMs, `the prompt turn ${what}`),
    shown: (value) => wire.shown(value),
    sendCancel: () => {
      session.cancelClientRequests();
      // The end of the turn may be behind what a slow reader has not taken yet.
      wire.awaitAnswer(params);
      void wire.notify('session/cancel', { sessionId });
    },
    giveUp: () => wire.giveUp(params),
    pause: () => wire.pauseFor(reader),
    resume: () => wire.resumeFor(reader),
  };
}
