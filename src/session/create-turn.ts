import type { ContentBlock, PromptCapabilities } from '@agentclientprotocol/sdk';
import type { LauncherLimits } from '../config/launcher-options.ts';
import type { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { AgentWire } from '../wire/agent-wire.ts';
import { promptContent } from './prompt-content.ts';
import {
  promptLimits,
  promptParams,
  readPromptOptions,
  turnOptions,
  type PromptOptions,
} from './prompt-request.ts';
import { PromptTurn } from './prompt-turn.ts';
import { createTurnPort, type SessionSide } from './turn-port.ts';

/** The session that a turn is made for. */
export interface TurnSession {
  readonly sessionId: string;
  readonly wire: AgentWire;
  readonly limits: LauncherLimits;
  readonly promptCapabilities: PromptCapabilities | undefined;
  /** Why no prompt can be sent any more. */
  readonly endError: AcpLauncherError | undefined;
  readonly side: SessionSide;
}

/** A turn for this content: not queued yet, or settled already where something is wrong with it or was aborted. */
export function createTurn(
  session: TurnSession,
  content: string | readonly ContentBlock[],
  options: PromptOptions,
): PromptTurn {
  const { given, problem: wrongOptions } = readPromptOptions(options);
  const params = promptParams(session.sessionId, given);
  let problem: AcpLauncherError | undefined;
  let { limits } = session;
  try {
    if (session.endError !== undefined) throw session.endError;
    if (wrongOptions !== undefined) throw wrongOptions;
    limits = promptLimits(limits, given);
    params.prompt = promptContent(content, session.promptCapabilities);
  } catch (error) {
    problem = error as AcpLauncherError;
  }
  const port = createTurnPort(session.wire, params, session.side);
  const turn = new PromptTurn(port, turnOptions(limits, given.signal));
  if (problem !== undefined) turn.fail(problem);
  else if (given.signal?.aborted === true) void turn.cancel();
  return turn;
}
