import type { AgentExit } from '../process/agent-process.ts';
import type { NoiseReason } from '../wire/parse-line.ts';

export type ConnectionEvents = {
  /** The agent process has ended, expected or not. */
  'agent-exit': readonly [exit: AgentExit];
  /** A line from the agent that is no message for us; redacted and cut. It was not answered. */
  noise: readonly [line: string, reason: NoiseReason];
  /** A permission request was answered. */
  permission: readonly [request: unknown, response: unknown];
  /** An update for a session that is not open here. */
  'unrouted-update': readonly [sessionId: string, update: unknown];
  /** A handler of the client threw while it served this method. */
  'handler-error': readonly [method: string, error: unknown];
  /** Something that was configured was not sent, since the agent does not advertise it. */
  'not-supported': readonly [what: string];
};
