import { describe, expect, test } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import { agentRuns, failureOf } from '../../helpers/agent-runs.ts';
import { isGone, waitUntil } from '../../helpers/wait-until.ts';

const runs = agentRuns();
const MiB = 1024 * 1024;

describe('B58 a line of', () => {
  test('30 MB that is legal arrives whole', async () => {
    const session = await runs.launch(faultyAgent('huge-line', { bytes: 30 * MiB }));
    const turn = session.prompt('/echo and on');
    const lengths: number[] = [];
    turn.on('update', (update) => lengths.push(JSON.stringify(update).length));
    expect((await turn.text()).length).toBeGreaterThanOrEqual(30 * MiB);
    expect(Math.max(...lengths)).toBeGreaterThan(30 * MiB);
  });

  test('more than an iterator holds arrives whole as well, when it is read', async () => {
    const session = await runs.launch(faultyAgent('huge-line', { bytes: 8 * MiB }), {
      maxBufferedBytes: 1_000,
    });
    let length = 0;
    for await (const update of session.prompt('/echo on')) length += JSON.stringify(update).length;
    expect(length).toBeGreaterThan(8 * MiB);
  });

  test('more than the limit ends the turn and the agent, with an error of its own', async () => {
    const session = await runs.launch(faultyAgent('huge-line', { bytes: 2 * MiB }), { maxLineBytes: MiB });
    const turns = [session.prompt('go'), session.prompt('wait')];
    const { pid } = session.connection;
    expect(await failureOf(turns[0]!.result)).toMatchObject({
      code: 'line-too-long',
      phase: 'prompt',
      facts: { method: 'session/prompt', sessionId: session.sessionId },
    });
    expect(await failureOf(turns[1]!.result)).toMatchObject({ code: 'line-too-long' });
    // Nobody calls close: what can't be talked to any more ends by itself.
    await waitUntil('the end of the agent', () => isGone(pid));
    await session.closed;
    expect(session.connection.closing).toBe(false);
    expect(await failureOf(session.prompt('again').result)).toMatchObject({ code: 'line-too-long' });
  });

  test.each(['initialize', 'session/new'])('no end is cut short in %s too', async (at) => {
    const launched = runs.launch(faultyAgent('endless-line', { at }), { maxLineBytes: MiB });
    const error = await failureOf(launched);
    expect(error).toMatchObject({ code: 'line-too-long', facts: { method: at } });
    expect(isGone(error.facts.pid ?? 0)).toBe(true);
  });

  test('no end does not fill the memory', async () => {
    const session = await runs.launch(faultyAgent('endless-line'), { maxLineBytes: 8 * MiB });
    const before = process.memoryUsage().rss;
    expect(await failureOf(session.prompt('go').result)).toMatchObject({ code: 'line-too-long' });
    await session.close();
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MiB);
  });
});
