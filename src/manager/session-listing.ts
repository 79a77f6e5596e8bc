import type { AgentConnection } from '../agent-connection.ts';
import { followSignals } from '../internal/follow-signals.ts';
import type { Listing } from '../session/next-step.ts';

/** For all pages together: a list that never ends must not hold up a launch. */
const listTimeoutMs = 10_000;

/** What `session/list` says of a session in the agent's directory; `unknown` where the agent can't tell. */
export async function listingOf(
  connection: AgentConnection,
  sessionId: string,
  signal: AbortSignal | undefined,
  timeoutMs = listTimeoutMs,
): Promise<Listing> {
  if (connection.agentCapabilities.sessionCapabilities?.list == null) return 'unknown';
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const followed = followSignals(signal, deadline.signal);
  try {
    for await (const session of connection.listSessions({ cwd: connection.cwd, signal: followed.signal })) {
      if (session.sessionId === sessionId) return 'listed';
      if (followed.signal.aborted) break;
    }
    return followed.signal.aborted ? 'unknown' : 'absent';
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return 'unknown';
  } finally {
    clearTimeout(timer);
    followed.release();
  }
}
