import { describe, expect, test } from 'vitest';
import { acproxyAgent, faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import { AgentStartConfig } from '../../../src/config/agent-start-config.ts';
import { agentRuns, failureOf } from '../../helpers/agent-runs.ts';
import { isGone, waitUntil } from '../../helpers/wait-until.ts';

const runs = agentRuns();
const config = new AgentStartConfig();

describe('B34 an agent that ends', () => {
  test.each<[string, FaultName, object, object]>([
    ['by a signal', 'dies-mid-turn', {}, { exitCode: null, exitSignal: 'SIGKILL' }],
    ['in the middle of a line', 'dies-mid-line', {}, { exitSignal: 'SIGKILL' }],
    ['as it reads the prompt', 'dies-at', { exitCode: 7 }, { exitCode: 7, exitSignal: null }],
    ['after the whole answer, without a response', 'exits-0-without-response', {}, { exitCode: 0 }],
  ])('%s rejects the turn at once, with what came', async (_how, fault, options, exit) => {
    const session = await runs.launch(faultyAgent(fault, options));
    const ended = new Promise((resolve) => session.connection.on('agent-exit', resolve));
    const [turn, next] = [session.prompt('go'), session.prompt('next')];
    const error = await failureOf(turn.result);
    expect(error).toMatchObject({
      code: 'agent-exited',
      phase: 'prompt',
      retryable: true,
      facts: { ...exit, method: 'session/prompt', sessionId: session.sessionId, agentAlive: false },
    });
    expect(await failureOf(next.result)).toMatchObject({ code: 'agent-exited' });
    if (fault !== 'dies-at') expect(turn.textSoFar).not.toBe('');
    expect(await ended).toMatchObject(exit);
    await session.closed;
    expect(session.connection.alive).toBe(false);
    expect(await failureOf(session.prompt('again').result)).toMatchObject({ code: 'agent-exited' });
    expect(await failureOf(session.connection.openSession(config))).toMatchObject({ code: 'agent-exited' });
  });

  test('its stdout, and lives on, rejects the turn as well, and is ended', async () => {
    const session = await runs.launch(faultyAgent('stdout-eof-stays-alive'), {
      closeGraceMs: 200,
      terminateGraceMs: 200,
    });
    const { pid } = session.connection;
    const turn = session.prompt('go');
    const error = await failureOf(turn.result);
    expect(error).toMatchObject({ code: 'agent-exited', facts: { agentAlive: true } });
    expect(error.message).toContain('closed its stdout');
    expect(turn.textSoFar).toBe('part 1 ');
    await waitUntil('the end of the agent', () => isGone(pid));
  });

  test('while nothing is asked of it is told at once (B26)', async () => {
    const session = await runs.launch(faultyAgent('exits-when-idle', { delayMs: 20 }));
    const ended = new Promise((resolve) => session.connection.on('agent-exit', resolve));
    await session.prompt('/echo hi').result;
    expect(await ended).toMatchObject({ exitCode: 1 });
    await session.closed;
    expect(await failureOf(session.prompt('again').result)).toMatchObject({ code: 'agent-exited' });
  });

  test('ends its children with it, without a close', async () => {
    const agent = faultyAgent(['spawns-children', 'dies-mid-turn'], {
      pidFile: runs.folder.file('pid'),
      count: 2,
    });
    const session = await runs.launch(agent);
    await failureOf(session.prompt('go').result);
    expect(await session.connection.close()).toMatchObject({ survivors: [] });
    expect(session.connection.closing).toBe(false);
  });

  test('at a request of any kind rejects it with the exit', async () => {
    const connection = await runs.connect(faultyAgent('dies-at', { at: 'session/list', exitCode: 9 }));
    expect(await failureOf(connection.listSessions().next())).toMatchObject({
      code: 'agent-exited',
      facts: { exitCode: 9, method: 'session/list' },
    });
  });

  test('with its reason on stderr has it in the error', async () => {
    const session = await runs.launch(faultyAgent([]));
    await session.prompt('/stderr out of memory: heap limit').result;
    const error = await failureOf(session.prompt('/exit 134').result);
    expect(error.facts.stderrTail).toContain('out of memory: heap limit');
    expect(error.message).toContain('out of memory: heap limit');
  });
});

describe('B34 an answer that is in the pipe when the agent has gone', () => {
  test('wins, a hundred times of a hundred', async () => {
    const outcomes: string[] = [];
    for (let round = 0; round < 100; round += 1) {
      const session = await runs.launch(faultyAgent('answers-and-exits', { exitCode: round % 2 }));
      const { stopReason } = await session.prompt('/burst 20').result;
      outcomes.push(stopReason);
      await session.close();
    }
    expect(outcomes).toEqual(Array.from({ length: 100 }, () => 'end_turn'));
  }, 120_000);

  test('wins though the reader is slow and the pipe was held for it', async () => {
    const session = await runs.launch(faultyAgent(['answers-and-exits']), { maxBufferedBytes: 100 });
    // No more than fits into the pipe: what an agent still holds when it exits is lost on its side.
    const turn = session.prompt('/burst 100');
    let count = 0;
    for await (const _update of turn) {
      if (count === 0) await session.connection.exited;
      count += 1;
    }
    expect(count).toBe(100);
    expect(await turn.result).toEqual({ stopReason: 'end_turn' });
  });
});

describe('B50 a pipe that nobody reads any more', () => {
  test('costs neither the host nor the close anything', async () => {
    const session = await runs.launch(faultyAgent('closes-stdin'), {
      closeGraceMs: 200,
      requestTimeoutMs: 300,
      cancelTimeoutMs: 200,
    });
    const turn = session.prompt('x'.repeat(300_000));
    await turn.cancel();
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
    expect(await failureOf(session.connection.listSessions().next())).toMatchObject({ code: 'timeout' });
    await session.close();
  });

  test('of an agent that has just died takes prompts, cancels and closes in silence', async () => {
    const session = await runs.launch(acproxyAgent());
    process.kill(session.connection.pid, 'SIGKILL');
    const turns = [session.prompt('x'.repeat(1_000_000)), session.prompt('next')];
    await session.cancel();
    await Promise.all(turns.map((turn) => turn.result.catch(() => undefined)));
    expect(turns.map((turn) => turn.state)).toEqual(['settled', 'settled']);
    await session.close();
  });
});

describe('B07 a launch that took too long', () => {
  test.each<[string, object]>([
    ['initialize', { initializeTimeoutMs: 300 }],
    ['session/new', { sessionTimeoutMs: 300 }],
  ])('at %s leaves nothing, and its late answer changes nothing', async (at, limits) => {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const launched = runs.launch(faultyAgent('delays-at', { at, delayMs: 500 }), limits);
      const error = await failureOf(launched);
      expect(error).toMatchObject({
        code: 'timeout',
        facts: { timeoutMs: 300, method: at, agentAlive: true },
      });
      expect(isGone(error.facts.pid ?? 0)).toBe(true);
    }
  });

  test('leaves the connection usable where the caller owns it; the late session is no session', async () => {
    const agent = faultyAgent('delays-at', { at: 'session/new', delayMs: 300, times: 1 });
    const connection = await runs.connect(agent, { sessionTimeoutMs: 100 });
    const unrouted: string[] = [];
    const noise: string[] = [];
    connection.on('unrouted-update', (sessionId) => unrouted.push(sessionId));
    connection.on('noise', (_line, reason) => noise.push(reason));
    expect(await failureOf(connection.openSession(config))).toMatchObject({ code: 'timeout' });
    await waitUntil('the late answer', () => noise.length > 0);
    expect(noise).toEqual(['unknown-response']);
    expect(connection.sessions).toEqual([]);
    const session = await connection.openSession(config);
    expect((await session.prompt('/echo on').text()).trim()).toBe('on');
  });
});
