import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import type { PromptTurn } from '../../../src/session/prompt-turn.ts';
import { agentRuns, failureOf } from '../../helpers/agent-runs.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const runs = agentRuns();
const cancelled = { stopReason: 'cancelled' };

const firstUpdate = (turn: PromptTurn) => new Promise((resolve) => turn.on('update', resolve));
const sentMethods = () => runs.received().map(({ method }) => method);
const promptTexts = () =>
  runs.received('session/prompt').map(({ params }) => (params['prompt'] as { text: string }[])[0]?.text);

describe('cancel', () => {
  test('B38 is a cancelled turn, whatever the agent answers, and the session goes on', async () => {
    const agent = faultyAgent('cancel-answers-error', { times: 1, record: runs.record });
    const session = await runs.launch(agent);
    const turn = session.prompt('first');
    await firstUpdate(turn);
    await session.cancel();
    expect(await turn.result).toEqual(cancelled);
    expect(turn.summary.cancelled).toMatchObject({
      acknowledged: true,
      error: { code: 'request-failed', facts: { rpc: { code: -32800 } } },
    });
    expect((await session.prompt('/echo next').text()).trim()).toBe('next');
    expect(runs.received('session/new')).toHaveLength(1);
  });

  test.each(['cancelled', 'end_turn', 'refusal'])(
    'B36 is awaited by the next prompt, however long the agent takes to say %s',
    async (text) => {
      const agent = faultyAgent('slow-cancel', { times: 1, delayMs: 100, text, record: runs.record });
      const session = await runs.launch(agent);
      const first = session.prompt('first');
      const seen: string[] = [];
      first.on('update', (update) => seen.push((update as { content: { text: string } }).content.text));
      await firstUpdate(first);
      const cancelling = [first.cancel(), session.cancel(), first.cancel()];
      const second = session.prompt('/echo second');
      await Promise.all(cancelling);
      expect(await first.result).toEqual(cancelled);
      expect(first.summary.cancelled).toMatchObject({ acknowledged: true, response: { stopReason: text } });
      // What the agent still says while it stops belongs to the turn that is stopped.
      expect(seen).toEqual(['working ', 'stopping ']);
      expect((await second.text()).trim()).toBe('second');
      await session.close();
      expect(sentMethods()).toEqual([
        'initialize',
        'session/new',
        'session/prompt',
        'session/cancel',
        'session/prompt',
      ]);
    },
  );

  test('B36 of a turn that is over sends nothing, so that it can not hit the next one', async () => {
    const agent = faultyAgent('late-cancel-hits-next-turn', { record: runs.record });
    const session = await runs.launch(agent);
    const first = session.prompt('/echo first');
    await first.result;
    await first.cancel();
    await session.cancel();
    const second = session.prompt('/echo second');
    await first.cancel();
    expect(await second.result).toEqual({ stopReason: 'end_turn' });
    expect(runs.received('session/cancel')).toEqual([]);
  });

  test('B36 in the very moment of the answer sends nothing', async () => {
    const agent = faultyAgent('updates-after-response', { delayMs: 0, record: runs.record });
    const session = await runs.launch(agent);
    const turn = session.prompt('go');
    // The first update outside of the turn comes right after the answer, before anything else runs.
    const late = new Promise<void>((resolve) => {
      session.on('update', (_update, { phase }) => {
        if (phase === 'outside') resolve(turn.cancel());
      });
    });
    await late;
    expect(await turn.result).toEqual({ stopReason: 'end_turn' });
    await session.close();
    expect(runs.received('session/cancel')).toEqual([]);
  });

  test.each([
    ['in silence', undefined],
    ['and talks on', 5],
  ])('B37 that the agent ignores %s settles the turn without it', async (_how, delayMs) => {
    const agent = faultyAgent('ignores-cancel', { delayMs });
    const session = await runs.launch(agent, { cancelTimeoutMs: 150 });
    const ignored: PromptTurn[] = [];
    session.on('cancel-ignored', (turn) => ignored.push(turn));
    const turn = session.prompt('go');
    await firstUpdate(turn);
    await turn.cancel();
    expect(await turn.result).toEqual(cancelled);
    expect(turn.summary.cancelled).toEqual({ acknowledged: false });
    expect(ignored).toEqual([turn]);
    const { updates } = turn.summary;
    await session.close();
    expect(turn.summary.updates).toBe(updates);
  });

  test('B37 of an agent that dies then is a cancelled turn', async () => {
    const session = await runs.launch(faultyAgent(['ignores-cancel', 'dies-at'], { at: 'session/cancel' }));
    const turn = session.prompt('go');
    await firstUpdate(turn);
    await turn.cancel();
    expect(await turn.result).toEqual(cancelled);
    expect(turn.summary.cancelled).toMatchObject({
      acknowledged: false,
      error: { code: 'agent-exited', facts: { exitCode: 1 } },
    });
  });

  test('by leaving the iteration', async () => {
    const agent = faultyAgent('long-turn', { count: 10_000, delayMs: 1, record: runs.record });
    const session = await runs.launch(agent);
    const turn = session.prompt('go');
    let count = 0;
    for await (const _update of turn) if (++count === 3) break;
    expect(turn.state).toBe('settled');
    expect(await turn.result).toEqual(cancelled);
    expect(runs.received('session/cancel')).toHaveLength(1);
    expect((await session.prompt('/echo on').text()).length).toBeGreaterThan(0);
  });

  test('by an error that is thrown within the iteration', async () => {
    const session = await runs.launch(faultyAgent('long-turn', { count: 10_000, delayMs: 1 }));
    const turn = session.prompt('go');
    const iterate = async () => {
      for await (const _update of turn) throw new Error('my own');
    };
    await expect(iterate()).rejects.toThrow('my own');
    expect(await turn.result).toEqual(cancelled);
  });

  test('by a signal, which keeps no listener when the turn is over', async () => {
    const session = await runs.launch(faultyAgent('long-turn', { count: 10_000, delayMs: 1 }));
    const controller = new AbortController();
    const turn = session.prompt('go', { signal: controller.signal });
    await firstUpdate(turn);
    controller.abort();
    expect(await turn.result).toEqual(cancelled);
  });

  test('by one signal for all, which has one listener however many wait', async () => {
    const session = await runs.launch(faultyAgent('long-turn', { count: 10_000, delayMs: 1 }));
    const { signal } = new AbortController();
    const turns = Array.from({ length: 15 }, () => session.prompt('go', { signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await session.close();
    await Promise.allSettled(turns.map((turn) => turn.result));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('by a signal that was aborted before sends nothing', async () => {
    const session = await runs.launch(faultyAgent([], { record: runs.record }));
    const running = session.prompt('/slow 100');
    const turn = session.prompt('go', { signal: AbortSignal.abort() });
    // At once, and not when it would have been its turn.
    expect(turn.state).toBe('settled');
    expect(await turn.result).toEqual(cancelled);
    await running.result;
    expect((await session.prompt('/echo on').text()).trim()).toBe('on');
    expect(promptTexts()).toEqual(['/slow 100', '/echo on']);
  });

  test('within a start listener stops the prompt that was just sent', async () => {
    const session = await runs.launch(faultyAgent('long-turn', { count: 10_000, delayMs: 1 }));
    session.on('turn-start', (turn) => void turn.cancel());
    expect(await session.prompt('go').result).toEqual(cancelled);
  });
});

describe('the queue', () => {
  test('runs prompts in order, each after the one before it', async () => {
    const session = await runs.launch(faultyAgent([], { record: runs.record }));
    const order: string[] = [];
    session.on('turn-start', () => order.push('start'));
    session.on('turn-end', () => order.push('end'));
    const turns = ['a', 'b', 'c', 'd'].map((name) => session.prompt(`/echo ${name}`));
    expect(turns.map((turn) => turn.state)).toEqual(['running', 'queued', 'queued', 'queued']);
    const texts = await Promise.all(turns.map(async (turn) => (await turn.text()).trim()));
    expect(texts).toEqual(['a', 'b', 'c', 'd']);
    expect(order).toEqual(['start', 'end', 'start', 'end', 'start', 'end', 'start', 'end']);
    expect(promptTexts()).toEqual(['/echo a', '/echo b', '/echo c', '/echo d']);
    expect(session.turnCount).toBe(4);
  });

  test('leaves out what was cancelled while it waited', async () => {
    const session = await runs.launch(faultyAgent([], { record: runs.record }));
    const controller = new AbortController();
    const first = session.prompt('/slow 200');
    const [byCall, bySignal] = [
      session.prompt('/echo b'),
      session.prompt('/echo c', { signal: controller.signal }),
    ];
    const last = session.prompt('/echo d');
    await byCall.cancel();
    controller.abort();
    expect([await byCall.result, await bySignal.result]).toEqual([cancelled, cancelled]);
    expect(first.state).toBe('running');
    await last.result;
    expect(promptTexts()).toEqual(['/slow 200', '/echo d']);
    expect(runs.received('session/cancel')).toEqual([]);
  });

  test('refuses what goes beyond its limit, and takes more when there is room', async () => {
    const session = await runs.launch(faultyAgent([]), { maxQueuedPrompts: 2 });
    const turns = ['a', 'b', 'c', 'd'].map((name) => session.prompt(`/echo ${name}`));
    expect(await failureOf(turns[3]!.result)).toMatchObject({ code: 'queue-full', retryable: true });
    await turns[2]!.result;
    expect((await session.prompt('/echo e').text()).trim()).toBe('e');
  });

  test('goes on after a turn that failed', async () => {
    const session = await runs.launch(faultyAgent([]));
    const [failing, next] = [session.prompt('/error -32603 broken'), session.prompt('/echo next')];
    expect(await failureOf(failing.result)).toMatchObject({ code: 'request-failed' });
    expect((await next.text()).trim()).toBe('next');
  });

  test('goes on with what the content was when the prompt was made', async () => {
    const session = await runs.launch(faultyAgent([]));
    const first = session.prompt('/slow 50');
    const blocks = [{ type: 'text' as const, text: '/echo as it was' }];
    const second = session.prompt(blocks);
    blocks[0] = { type: 'text', text: '/echo changed' };
    await first.result;
    expect((await second.text()).trim()).toBe('as it was');
  });
});

describe('X02 a prompt is never sent again', () => {
  test('when it failed with what looks like a matter of authentication', async () => {
    const agent = faultyAgent('fails-at', {
      at: 'session/prompt',
      code: -32000,
      text: 'busy',
      record: runs.record,
    });
    const session = await runs.launch(agent, { authMethodId: 'api-key' });
    expect(await failureOf(session.prompt('go').result)).toMatchObject({
      code: 'request-failed',
      facts: { rpc: { code: -32000, message: 'busy' } },
    });
    await session.close();
    expect(sentMethods()).toEqual(['initialize', 'session/new', 'session/prompt']);
  });

  test('by itself when the agent dies', async () => {
    const session = await runs.launch(faultyAgent('dies-mid-turn', { record: runs.record }));
    await failureOf(session.prompt('go').result);
    await waitUntil('the end', () => session.connection.exit !== undefined);
    expect(promptTexts()).toEqual(['go']);
  });
});
