import { describe, expect, test } from 'vitest';
import { listAllSessions } from '../../../src/session/list-sessions.ts';

const info = (sessionId: string) => ({ sessionId, cwd: '/x' });

/** Lists with an agent that answers with these pages, by cursor; what was asked for and what came. */
async function list(pages: Record<string, unknown>, cwd?: string) {
  const asked: object[] = [];
  const sessions: string[] = [];
  let error: unknown;
  try {
    const listing = listAllSessions(
      (params) => {
        asked.push(params);
        return Promise.resolve(pages[params.cursor ?? 'first']);
      },
      cwd,
      JSON.stringify,
    );
    for await (const { sessionId } of listing) sessions.push(sessionId);
  } catch (thrown) {
    error = (thrown as { code?: string }).code ?? thrown;
  }
  return { asked, sessions, error };
}

test('all sessions of all pages, in order', async () => {
  const pages = {
    first: { sessions: [info('a'), info('b')], nextCursor: '2' },
    2: { sessions: [], nextCursor: '3' },
    3: { sessions: [info('c')], nextCursor: null },
  };
  expect(await list(pages, '/x')).toEqual({
    asked: [{ cwd: '/x' }, { cwd: '/x', cursor: '2' }, { cwd: '/x', cursor: '3' }],
    sessions: ['a', 'b', 'c'],
    error: undefined,
  });
});

test('no directory and no cursor are asked for where there is none', async () => {
  expect(await list({ first: { sessions: [] } })).toEqual({ asked: [{}], sessions: [], error: undefined });
});

test('a page is asked for when the one before it was read', async () => {
  let asked = 0;
  const listing = listAllSessions(
    () => {
      asked += 1;
      return Promise.resolve({ sessions: [info('a')], nextCursor: `page-${asked}` });
    },
    undefined,
    JSON.stringify,
  );
  await listing.next();
  expect(asked).toBe(1);
  await listing.return();
  expect(asked).toBe(1);
});

describe('a list that proves nothing ends with an error', () => {
  test.each([
    ['null', null],
    ['without sessions', {}],
    ['with sessions that are no list', { sessions: { a: 1 } }],
  ])('an answer of %s', async (_what, first) => {
    expect(await list({ first })).toMatchObject({ sessions: [], error: 'invalid-response' });
  });

  test('a cursor that comes again, after what was listed', async () => {
    const pages = {
      first: { sessions: [info('a')], nextCursor: '2' },
      2: { sessions: [info('b')], nextCursor: '3' },
      3: { sessions: [info('c')], nextCursor: '2' },
    };
    expect(await list(pages)).toMatchObject({ sessions: ['a', 'b', 'c'], error: 'invalid-response' });
  });

  test('pages without end', async () => {
    let page = 0;
    const listing = listAllSessions(
      () => {
        page += 1;
        return Promise.resolve({ sessions: [], nextCursor: `page-${page}` });
      },
      undefined,
      JSON.stringify,
    );
    await expect(listing.next()).rejects.toMatchObject({ code: 'invalid-response' });
    expect(page).toBe(1_000);
  });
});

test('entries that are no sessions are left out', async () => {
  const first = { sessions: [null, {}, 'a', { sessionId: 7 }, info('b')] };
  expect(await list({ first })).toMatchObject({ sessions: ['b'], error: undefined });
});
