import type { ListSessionsResponse, SessionInfo } from '@agentclientprotocol/sdk';

/** A cursor that never ends must not hold the caller for ever. */
const maxPages = 1_000;

/** All sessions of all pages. A cursor that repeats, or more than a thousand pages, end the list. */
export async function* listAllSessions(
  requestPage: (params: { cwd?: string; cursor?: string }) => Promise<ListSessionsResponse | null>,
  cwd: string | undefined,
): AsyncGenerator<SessionInfo, void, undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const params = { ...(cwd === undefined ? {} : { cwd }), ...(cursor === undefined ? {} : { cursor }) };
    const response = await requestPage(params);
    yield* response?.sessions ?? [];
    const next = response?.nextCursor ?? undefined;
    if (next === undefined || next === cursor) return;
    cursor = next;
  }
}
