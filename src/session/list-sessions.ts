import type { SessionInfo } from '@agentclientprotocol/sdk';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';

/** A cursor that never ends must not hold the caller for ever. */
const maxPages = 1_000;

/**
 * All sessions of all pages. A list that can't be told to be complete ends with an error: that a session is not in it
 * would prove nothing.
 *
 * @param shown - An answer as an error may show it.
 * @throws AcpLauncherError `invalid-response` for an answer without a list, a cursor that was there before, and after
 * a thousand pages.
 */
export async function* listAllSessions(
  requestPage: (params: { cwd?: string; cursor?: string }) => Promise<unknown>,
  cwd: string | undefined,
  shown: (value: unknown) => string,
): AsyncGenerator<SessionInfo, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const params = { ...(cwd === undefined ? {} : { cwd }), ...(cursor === undefined ? {} : { cursor }) };
    const response = await requestPage(params);
    const { sessions, nextCursor } = (response ?? {}) as { sessions?: unknown; nextCursor?: unknown };
    if (!Array.isArray(sessions))
      throw listError(`answered session/list without sessions: ${shown(response)}`);
    yield* (sessions as unknown[]).filter(isSessionInfo);
    if (typeof nextCursor !== 'string' || nextCursor === '') return;
    if (seen.has(nextCursor)) throw listError(`sent the same cursor twice: ${shown(nextCursor)}`);
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  throw listError(`did not end its list within ${maxPages} pages`);
}

function isSessionInfo(value: unknown): value is SessionInfo {
  return typeof (value as { sessionId?: unknown } | null)?.sessionId === 'string';
}

function listError(what: string): AcpLauncherError {
  return new AcpLauncherError('invalid-response', `the agent ${what}`, {
    phase: 'session',
    method: 'session/list',
  });
}
