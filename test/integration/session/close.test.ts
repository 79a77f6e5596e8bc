import { describe, expect, test } from 'vitest';
import { acproxyAgent, faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import { AgentStartConfig } from '../../../src/config/agent-start-config.ts';
import type { PromptTurn } from '../../../src/session/prompt-turn.ts';
import { agentRuns, failureOf } from '../../helpers/agent-runs.ts';
import { isGone, waitUntil } from '../../helpers/wait-until.ts';

const runs = agentRuns();
const config = new AgentStartConfig();
const firstUpdate = (turn: PromptTurn) => new Promise((resolve) => turn.on('update', resolve));

describe('B49 close', () => {
  test('rejects what runs and what waits, tells the agent, and ends it', async () => {
    const agent = faultyAgent('long-turn', { count: 100_000, delayMs: 1, record: runs.record });
    const session = await runs.launch(agent);
    const events: string[] = [];
    for (const name of ['turn-start', 'turn-end', 'update', 'close'] as const) {
      session.on(name, () => events.push(name));
    }
    const turns = [session.prompt('go'), session.prompt('wait')];
    await firstUpdate(turns[0]!);
    const iterated = (async () => {
      for await (const _update of turns[1]!);
    })();
    const closing = session.close();
    for (const turn of turns) expect(await failureOf(turn.result)).toMatchObject({ code: 'closed' });
    expect(await failureOf(iterated)).toMatchObject({ code: 'closed' });
    await closing;
    await session.closed;
    expect(isGone(session.connection.pid)).toBe(true);
    expect(runs.received('session/cancel')).toHaveLength(1);
    expect(runs.received('session/prompt')).toHaveLength(1);
    // Nothing is told any more.
    const told = events.splice(0);
    expect(told.at(-1)).toBe('close');
    expect(told.filter((name) => name === 'turn-end')).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(events).toEqual([]);
  });

  test('is one for all who call it, and for those who call it later', async () => {
    const session = await runs.launch(faultyAgent('ignores-eof'), { closeGraceMs: 100 });
    const closed: Promise<unknown>[] = [session.close(), session.close(), session.connection.close()];
    await Promise.all(closed);
    expect(isGone(session.connection.pid)).toBe(true);
    await session.close();
    await session[Symbol.asyncDispose]();
    expect(await session.connection.close()).toMatchObject({ survivors: [] });
  });

  test('makes everything that is asked for later fail with closed, and hang nowhere', async () => {
    const session = await runs.launch(faultyAgent('offers-modes'));
    const { connection } = session;
    await session.close();
    for (const asked of [
      session.prompt('go').result,
      session.prompt('go').text(),
      session.setMode('code'),
      connection.openSession(config),
      connection.listSessions().next(),
      connection.authenticate('x'),
    ]) {
      expect(await failureOf(asked)).toMatchObject({ code: 'closed' });
    }
    await session.cancel();
    expect(connection.alive).toBe(false);
    expect(connection.sessions).toEqual([]);
  });

  test('while it is under way refuses what comes, at once', async () => {
    const session = await runs.launch(faultyAgent('ignores-eof'), { closeGraceMs: 200 });
    const closing = session.close();
    expect(session.connection.closing).toBe(true);
    expect(await failureOf(session.prompt('go').result)).toMatchObject({ code: 'closed' });
    expect(await failureOf(session.connection.openSession(config))).toMatchObject({ code: 'closed' });
    await closing;
  });

  test('of a session that was opened on a connection leaves the agent and its other sessions', async () => {
    const connection = await runs.connect(faultyAgent([]));
    const [first, second] = [await connection.openSession(config), await connection.openSession(config)];
    await first.close();
    expect(connection.sessions).toEqual([second]);
    expect(connection.alive).toBe(true);
    expect((await second.prompt('/echo on').text()).trim()).toBe('on');
  });

  test('of a session lets the client end what belongs to it, once', async () => {
    const ended: string[] = [];
    const client = { closeSession: (sessionId: string) => void ended.push(sessionId) };
    const connection = await runs.connect(faultyAgent([]), { client });
    const [first, second] = [await connection.openSession(config), await connection.openSession(config)];
    await first.close();
    await connection.close();
    expect(ended).toEqual([first.sessionId, second.sessionId]);
  });

  test('is the last that is told: what a handler says later is not', async () => {
    let fail: (error: Error) => void = () => undefined;
    const handled = new Promise((_resolve, reject) => (fail = reject));
    handled.catch(() => undefined);
    const session = await runs.launch(faultyAgent([]), { client: { sessionUpdate: () => handled } });
    const errors: unknown[] = [];
    session.on('listener-error', (error) => errors.push(error));
    await session.prompt('/echo hi').result;
    await session.close();
    fail(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toEqual([]);
  });

  test('does not wait longer than its bound for a client that never ends', async () => {
    const client = { closeSession: () => new Promise<void>(() => undefined) };
    const session = await runs.launch(faultyAgent([]), { client, closeSessionTimeoutMs: 100 });
    await session.close();
    expect(isGone(session.connection.pid)).toBe(true);
  });

  test('tells of a client that fails to end what belongs to the session', async () => {
    const client = { closeSession: () => Promise.reject(new Error('stuck')) };
    const session = await runs.launch(faultyAgent([]), { client });
    const errors: unknown[] = [];
    session.on('listener-error', (error) => errors.push(error));
    await session.close();
    expect(errors).toEqual([expect.objectContaining({ message: 'stuck' })]);
  });
});

describe('close in the middle of', () => {
  test.each<[FaultName, object]>([
    ['hangs-at', { at: 'session/new' }],
    ['slow-session-new', { delayMs: 60_000 }],
  ])('an opening (%s) rejects it with closed', async (fault, options) => {
    const connection = await runs.connect(faultyAgent(fault, { ...options, record: runs.record }));
    const mcpServers = [{ name: 'a', command: 'a' }];
    const opening = connection.openSession(new AgentStartConfig({ mcpServers }));
    opening.catch(() => undefined);
    await waitUntil('the request', () => runs.received('session/new').length === 1);
    const closing = connection.close();
    expect(await failureOf(opening)).toMatchObject({ code: 'closed' });
    expect(await closing).toMatchObject({ survivors: [] });
  });

  test('a load, whose session had updates already', async () => {
    const agent = faultyAgent(['load-replays-history', 'hangs-at'], {
      at: 'session/load',
      store: runs.folder.path,
    });
    const seen: string[] = [];
    const connection = await runs.connect(agent, {
      client: { sessionUpdate: (_notification, { phase }) => seen.push(phase) },
    });
    const loading = connection.loadSession('some-session', config);
    loading.catch(() => undefined);
    await waitUntil('the session', () => connection.sessions.length === 1);
    await connection.close();
    expect(await failureOf(loading)).toMatchObject({ code: 'closed' });
    expect(connection.sessions).toEqual([]);
  });

  test('a cancel keeps the turn a cancelled one', async () => {
    const session = await runs.launch(faultyAgent('ignores-cancel'), { closeSessionTimeoutMs: 100 });
    const turn = session.prompt('go');
    await firstUpdate(turn);
    const cancelling = turn.cancel();
    await session.close();
    await cancelling;
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
    expect(turn.summary.cancelled).toMatchObject({ acknowledged: false });
  });

  test('a write that the agent never reads', async () => {
    const agent = faultyAgent('stops-reading', { bytes: 0, delayMs: 60_000 });
    const session = await runs.launch(agent, { closeGraceMs: 100, closeSessionTimeoutMs: 100 });
    const first = session.prompt('go');
    await waitUntil('the first prompt', () => first.state === 'running');
    const second = session.prompt('x'.repeat(5_000_000));
    void first.cancel();
    await session.close();
    expect(await failureOf(second.result)).toMatchObject({ code: 'closed' });
    expect(isGone(session.connection.pid)).toBe(true);
  });

  test('a request', async () => {
    const connection = await runs.connect(faultyAgent('hangs-at', { at: 'session/list' }));
    const listing = connection.listSessions().next();
    listing.catch(() => undefined);
    await connection.close();
    expect(await failureOf(listing)).toMatchObject({ code: 'closed' });
  });
});

describe('kill', () => {
  test('rejects what runs, ends the sessions and the agent at once', async () => {
    const agent = faultyAgent(['ignores-eof-and-sigterm', 'long-turn'], { count: 100_000, delayMs: 1 });
    const ended: string[] = [];
    const client = { closeSession: (sessionId: string) => void ended.push(sessionId) };
    const session = await runs.launch(agent, { client, closeGraceMs: 60_000 });
    const turn = session.prompt('go');
    await firstUpdate(turn);
    expect(await session.connection.kill()).toEqual({ endedBy: 'SIGKILL', survivors: [] });
    expect(await failureOf(turn.result)).toMatchObject({ code: 'closed' });
    expect(ended).toEqual([session.sessionId]);
    await session.closed;
  });

  test('speeds up a close that waits for a stubborn agent', async () => {
    const session = await runs.launch(faultyAgent('ignores-eof-and-sigterm'), { closeGraceMs: 60_000 });
    const closing = session.close();
    await session.connection.kill();
    await closing;
    expect(isGone(session.connection.pid)).toBe(true);
  });

  test('speeds up a close that waits for an answer to session/close', async () => {
    const agent = faultyAgent('session-close-never-answers', { record: runs.record });
    const session = await runs.launch(agent, { closeSessionTimeoutMs: 60_000 });
    const closing = session.close();
    await waitUntil('the request', () => runs.received('session/close').length === 1);
    await session.connection.kill();
    await closing;
  });

  test('after a close, and of an agent that died, does nothing', async () => {
    const session = await runs.launch(faultyAgent([]));
    await session.close();
    expect(await session.connection.kill()).toMatchObject({ survivors: [] });
    const other = await runs.launch(faultyAgent([]));
    await failureOf(other.prompt('/exit 3').result);
    expect(await other.connection.kill()).toMatchObject({ survivors: [] });
  });
});

describe('B69 session/close', () => {
  test('is sent once where it is advertised, after the turn was cancelled', async () => {
    const agent = faultyAgent(['closes-sessions', 'slow-cancel'], { delayMs: 50, record: runs.record });
    const session = await runs.launch(agent);
    const turn = session.prompt('go');
    await firstUpdate(turn);
    await Promise.all([session.close(), session.close()]);
    expect(runs.received().map(({ method }) => method)).toEqual([
      'initialize',
      'session/new',
      'session/prompt',
      'session/cancel',
      'session/close',
    ]);
  });

  test('is not sent where it is not advertised', async () => {
    const session = await runs.launch(faultyAgent([], { record: runs.record }));
    await session.close();
    expect(runs.received('session/close')).toEqual([]);
  });

  test.each<[FaultName]>([['session-close-never-answers'], ['session-close-fails']])(
    'that the agent takes badly (%s) holds up neither the end nor a new session',
    async (fault) => {
      const connection = await runs.connect(faultyAgent(fault), { closeSessionTimeoutMs: 100 });
      const session = await connection.openSession(config);
      await session.close();
      expect(connection.sessions).toEqual([]);
      const next = await connection.openSession(config);
      expect((await next.prompt('/echo on').text()).trim()).toBe('on');
      expect(await connection.close()).toMatchObject({ survivors: [] });
    },
  );

  test('to an agent that has died is not sent, and the close is over at once', async () => {
    const agent = faultyAgent(['closes-sessions', 'dies-mid-turn'], { record: runs.record });
    const session = await runs.launch(agent, { closeSessionTimeoutMs: 60_000 });
    await failureOf(session.prompt('go').result);
    await session.close();
    expect(runs.received('session/close')).toEqual([]);
  });
});

test('a session that was launched ends with its block', async () => {
  const run = async () => {
    await using session = await runs.launch(acproxyAgent());
    expect(isGone(session.connection.pid)).toBe(false);
    return session.connection.pid;
  };
  expect(isGone(await run())).toBe(true);
});
