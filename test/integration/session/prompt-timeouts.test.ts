import { describe, expect, test } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import { agentRuns, failureOf } from '../../helpers/agent-runs.ts';

const runs = agentRuns();

describe('B59 the limit of silence', () => {
  test('lets a turn that keeps talking take longer than it', async () => {
    const session = await runs.launch(faultyAgent('long-turn', { count: 15, delayMs: 50 }), {
      promptIdleTimeoutMs: 500,
    });
    const turn = session.prompt('go');
    expect(await turn.result).toEqual({ stopReason: 'end_turn' });
    expect(turn.summary.updates).toBe(15);
  });

  test('ends a turn whose agent only talks elsewhere, and keeps what came', async () => {
    const agent = faultyAgent('chatters-elsewhere', { delayMs: 20, record: runs.record });
    const session = await runs.launch(agent, { promptIdleTimeoutMs: 300 });
    const turn = session.prompt('go');
    const failure = await failureOf(turn.result);
    expect(failure).toMatchObject({
      code: 'timeout',
      phase: 'prompt',
      facts: {
        timeoutMs: 300,
        method: 'session/prompt',
        sessionId: session.sessionId,
        agentAlive: true,
        stderrTail: expect.stringContaining('still thinking') as unknown,
      },
    });
    expect(failure.message).toMatch(
      /^the prompt turn brought no update within 300 ms; the agent's process was still running; .*\nstill thinking/,
    );
    expect(turn.summary.cancelled).toMatchObject({ acknowledged: true });
    expect(runs.received('session/cancel')).toHaveLength(1);
    expect(session.connection.alive).toBe(true);
  });

  test('is not touched by a tool call that is silent', async () => {
    const session = await runs.launch(faultyAgent('silent-tool-call', { delayMs: 600 }), {
      promptIdleTimeoutMs: 200,
    });
    expect(await session.prompt('/echo done').result).toEqual({ stopReason: 'end_turn' });
  });

  test('is not touched by a permission that a person thinks about', async () => {
    const session = await runs.launch(faultyAgent([]), {
      promptIdleTimeoutMs: 200,
      client: {
        requestPermission: async () => {
          await new Promise((resolve) => setTimeout(resolve, 600));
          return { outcome: { outcome: 'selected', optionId: 'id-allow_once' } };
        },
      },
    });
    expect(await session.prompt('/permission').text()).toContain('id-allow_once');
  });

  test('is not touched by a handler of ours that holds the agent back', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const session = await runs.launch(faultyAgent('burst', { count: 3_000 }), {
      promptIdleTimeoutMs: 200,
      maxBufferedBytes: 10_000,
      maxBufferedHardBytes: 100_000_000,
      client: { sessionUpdate: () => gate },
    });
    const turn = session.prompt('go');
    setTimeout(release, 700);
    expect(await turn.result).toEqual({ stopReason: 'end_turn' });
  });
});

describe('B59 the limit of a whole turn', () => {
  test('ends one that keeps talking, with what came so far', async () => {
    const session = await runs.launch(faultyAgent('long-turn', { count: 10_000, delayMs: 10 }));
    const turn = session.prompt('go', { promptTimeoutMs: 300 });
    expect(await failureOf(turn.result)).toMatchObject({ code: 'timeout', facts: { timeoutMs: 300 } });
    expect(turn.textSoFar).toMatch(/^0 1 2 /);
    expect(turn.summary.stopReason).toBeUndefined();
    // Of this one turn only.
    expect(
      await session.prompt('again', { promptTimeoutMs: 0, signal: AbortSignal.timeout(500) }).result,
    ).toEqual({
      stopReason: 'cancelled',
    });
  });

  test('ends one whose agent ignores the cancel too', async () => {
    const session = await runs.launch(faultyAgent('ignores-cancel'), { cancelTimeoutMs: 100 });
    const turn = session.prompt('go', { promptTimeoutMs: 200 });
    expect(await failureOf(turn.result)).toMatchObject({ code: 'timeout' });
    expect(turn.summary.cancelled).toEqual({ acknowledged: false });
  });

  test('X11 ends one whose prompt the agent never reads, while it writes and writes', async () => {
    const session = await runs.launch(faultyAgent('stops-reading', { bytes: 2_000_000, delayMs: 60_000 }), {
      cancelTimeoutMs: 100,
    });
    const first = session.prompt('go');
    await new Promise((resolve) => first.on('update', resolve));
    // The agent has stopped reading: of these five megabytes the pipe takes 64 KiB.
    const huge = session.prompt('x'.repeat(5_000_000), { promptTimeoutMs: 300 });
    await first.cancel();
    expect(await failureOf(huge.result)).toMatchObject({ code: 'timeout' });
    await session.close();
  });

  test('is refused when it is none', async () => {
    const session = await runs.launch(faultyAgent([], { record: runs.record }));
    const turn = session.prompt('go', { promptTimeoutMs: -1 });
    expect(await failureOf(turn.result)).toMatchObject({
      code: 'invalid-config',
      facts: { field: 'promptTimeoutMs' },
    });
    expect(runs.received('session/prompt')).toEqual([]);
  });
});
