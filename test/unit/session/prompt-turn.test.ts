import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';
import type { PromptTurn } from '../../../src/session/prompt-turn.ts';
import { createTurn, microtasks, textUpdate } from './fake-turn-port.ts';

const done = { stopReason: 'end_turn' } as const;
const failure = (code: 'closed' | 'agent-exited' | 'request-failed' | 'queue-full') =>
  new AcpLauncherError(code, code, { phase: 'prompt' });

const texts = async (turn: PromptTurn): Promise<string[]> => {
  const seen: string[] = [];
  for await (const update of turn) seen.push(textOf(update));
  return seen;
};
const textOf = (update: SessionUpdate) => (update as { content: { text: string } }).content.text;

/** What a promise has come to by now, without waiting for it. */
async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  let outcome: unknown = 'pending';
  promise.then(
    (value) => (outcome = value),
    (error: unknown) => (outcome = error),
  );
  await microtasks();
  return outcome;
}

const codeOf = async (promise: Promise<unknown>) => {
  const outcome = await outcomeOf(promise);
  return AcpLauncherError.isInstance(outcome) ? outcome.code : outcome;
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('a turn', () => {
  test('brings its updates and its response', async () => {
    const { port, turn } = createTurn();
    expect(turn.state).toBe('queued');
    void turn.run();
    expect(turn.state).toBe('running');
    const seen = texts(turn);
    turn.receive(textUpdate('a'), 1);
    turn.receive(textUpdate('b'), 1);
    port.readResponse(done);
    expect(await seen).toEqual(['a', 'b']);
    expect(await turn.result).toEqual(done);
    expect(await turn.text()).toBe('ab');
    expect(turn.summary).toMatchObject({ updates: 2, stopReason: 'end_turn', cancelled: undefined });
    expect(turn.state).toBe('settled');
    expect(port.calls).toEqual(['prompt', 'started', 'settled']);
  });

  test('takes no update once its response line is read', () => {
    const { port, turn } = createTurn();
    expect(turn.acceptsUpdates).toBe(false);
    void turn.run();
    expect(turn.acceptsUpdates).toBe(true);
    port.readResponse(done);
    expect(turn.acceptsUpdates).toBe(false);
  });

  test.each([[null], [undefined], [{}], [{ stopReason: 3 }]])(
    'B33 that is answered with %j ends with invalid-response',
    async (response) => {
      const { port, turn } = createTurn();
      void turn.run();
      port.readResponse(response);
      expect(await codeOf(turn.result)).toBe('invalid-response');
    },
  );

  test('B33 with a stop reason that nobody knows keeps it', async () => {
    const { port, turn } = createTurn();
    void turn.run();
    port.readResponse({ stopReason: 'bored' });
    expect(await turn.result).toEqual({ stopReason: 'bored' });
    expect(turn.summary).toMatchObject({ stopReason: 'bored', empty: true });
  });

  test('that fails tells it to every reader, after the updates', async () => {
    const { port, turn } = createTurn();
    void turn.run();
    turn.receive(textUpdate('part'), 1);
    port.readError(failure('request-failed'));
    const seen: string[] = [];
    const iterated = (async () => {
      for await (const update of turn) seen.push(textOf(update));
    })();
    expect(await codeOf(iterated)).toBe('request-failed');
    expect(seen).toEqual(['part']);
    expect(await codeOf(turn.text())).toBe('request-failed');
    expect(await codeOf(turn.toolCalls())).toBe('request-failed');
    expect(turn.textSoFar).toBe('part');
  });

  test('that fails before it was sent is neither started nor settled', async () => {
    const { port, turn } = createTurn();
    const events: string[] = [];
    turn.on('start', () => events.push('start'));
    turn.on('end', () => events.push('end'));
    turn.fail(failure('queue-full'));
    expect(await codeOf(turn.result)).toBe('queue-full');
    await turn.run();
    expect(port.calls).toEqual([]);
    expect(events).toEqual(['end']);
  });
});

describe('events', () => {
  test('reach who listens only when the prompt was sent already', async () => {
    const { port, turn } = createTurn();
    const events: string[] = [];
    void turn.run();
    turn.on('start', () => events.push('start'));
    turn.on('end', () => events.push('end'));
    await microtasks();
    expect(events).toEqual(['start']);
    port.readResponse(done);
    await microtasks();
    expect(events).toEqual(['start', 'end']);
  });

  test('of a turn that ends in the very moment in which it was sent come in order', () => {
    const { turn } = createTurn();
    const events: string[] = [];
    void turn.run();
    turn.on('start', () => events.push('start'));
    turn.on('end', () => events.push('end'));
    turn.abandon(failure('closed'));
    expect(events).toEqual(['start', 'end']);
  });

  test('come in order, and none after the end', async () => {
    const { port, turn } = createTurn();
    const events: string[] = [];
    turn.on('start', () => events.push('start'));
    turn.on('update', (update) => events.push(textOf(update)));
    turn.on('end', (outcome) => events.push('response' in outcome ? 'response' : 'error'));
    void turn.run();
    turn.receive(textUpdate('a'), 1);
    port.readResponse(done);
    await microtasks();
    turn.receive(textUpdate('b'), 1);
    expect(events).toEqual(['start', 'a', 'response']);
  });

  test('B30 a listener that throws or rejects breaks nothing and is told', async () => {
    const { port, turn } = createTurn();
    turn.on('update', () => {
      throw new Error('sync');
    });
    turn.on('update', async () => Promise.reject(new Error('async')));
    void turn.run();
    turn.receive(textUpdate('a'), 1);
    port.readResponse(done);
    expect(await turn.result).toEqual(done);
    expect(port.calls).toContain('listener failed: Error: sync');
    expect(port.calls).toContain('listener failed: Error: async');
  });

  test('B36 a start listener that cancels at once cancels the prompt that was sent', async () => {
    const { port, turn } = createTurn();
    turn.on('start', () => void turn.cancel());
    void turn.run();
    await microtasks();
    expect(port.calls).toEqual(['prompt', 'started', 'resume', 'cancel']);
    port.readResponse({ stopReason: 'cancelled' });
  });
});

describe('cancel', () => {
  test('B38 sends one session/cancel, and any answer makes a cancelled turn that keeps it', async () => {
    for (const answer of ['cancelled', 'end_turn', 'refusal']) {
      const { port, turn } = createTurn();
      void turn.run();
      const cancelled = Promise.all([turn.cancel(), turn.cancel()]);
      port.readResponse({ stopReason: answer });
      await cancelled;
      expect(await turn.result).toEqual({ stopReason: 'cancelled' });
      expect(turn.summary).toMatchObject({
        stopReason: 'cancelled',
        cancelled: { acknowledged: true, response: { stopReason: answer } },
      });
      expect(port.calls.filter((call) => call === 'cancel')).toHaveLength(1);
    }
  });

  test('B38 an error for an answer is a cancelled turn as well', async () => {
    const { port, turn } = createTurn();
    void turn.run();
    const cancelled = turn.cancel();
    const error = failure('request-failed');
    port.readError(error);
    await cancelled;
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
    expect(turn.summary.cancelled).toEqual({ acknowledged: true, error });
  });

  test('of a turn in the queue sends nothing', async () => {
    const { port, turn } = createTurn();
    await turn.cancel();
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
    await turn.run();
    expect(port.calls).toEqual(['dequeue']);
  });

  test('B36 once the response line was read sends nothing, and the answer counts', async () => {
    const { port, turn } = createTurn();
    void turn.run();
    port.readResponse(done);
    await turn.cancel();
    expect(await turn.result).toEqual(done);
    await turn.cancel();
    expect(port.calls).not.toContain('cancel');
  });

  test('B37 that the agent ignores settles the turn without it', async () => {
    const { port, turn } = createTurn({
      timeouts: { promptTimeoutMs: 0, promptIdleTimeoutMs: 0, cancelTimeoutMs: 1_000 },
    });
    const finished = turn.run();
    const cancelled = turn.cancel();
    vi.advanceTimersByTime(999);
    expect(await outcomeOf(cancelled)).toBe('pending');
    vi.advanceTimersByTime(1);
    await cancelled;
    await finished;
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
    expect(turn.summary.cancelled).toEqual({ acknowledged: false });
    expect(turn.acceptsUpdates).toBe(false);
    expect(port.calls.slice(-3)).toEqual(['give up', 'settled', 'cancel ignored']);
    port.readResponse(done);
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
  });

  test('of an agent that dies then is a cancelled turn that was not acknowledged', async () => {
    const { port, turn } = createTurn();
    void turn.run();
    const cancelled = turn.cancel();
    port.breakOff(failure('agent-exited'));
    await cancelled;
    expect(turn.summary.cancelled).toMatchObject({ acknowledged: false, error: { code: 'agent-exited' } });
  });

  test('leaving the iteration cancels, and waits for the end', async () => {
    const { port, turn } = createTurn();
    void turn.run();
    let left = false;
    const iterated = (async () => {
      for await (const _update of turn) break;
      left = true;
    })();
    turn.receive(textUpdate('a'), 1);
    await microtasks();
    expect(port.calls).toContain('cancel');
    expect(left).toBe(false);
    port.readResponse({ stopReason: 'cancelled' });
    await iterated;
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
  });
});

describe('a signal', () => {
  test('cancels a running turn', async () => {
    const controller = new AbortController();
    const { port, turn } = createTurn({ signal: controller.signal });
    void turn.run();
    controller.abort();
    expect(port.calls).toContain('cancel');
    port.readResponse({ stopReason: 'cancelled' });
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
  });

  test('that is aborted before the turn begins keeps the prompt from being sent', async () => {
    const { port, turn } = createTurn({ signal: AbortSignal.abort() });
    await turn.run();
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
    expect(port.calls).toEqual(['dequeue']);
  });

  test('keeps no listener of a turn that has settled, whichever way', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const ended = createTurn({ signal });
    void ended.turn.run();
    ended.port.readResponse(done);
    await microtasks();
    const failed = createTurn({ signal });
    failed.turn.fail(failure('queue-full'));
    const cancelled = createTurn({ signal });
    await cancelled.turn.cancel();
    expect(added).toHaveBeenCalledTimes(3);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });
});

describe('B59 a deadline', () => {
  const timeouts = { promptTimeoutMs: 0, promptIdleTimeoutMs: 0, cancelTimeoutMs: 1_000 };

  test('that passes cancels and rejects with it, when the agent has ended the turn', async () => {
    const { port, turn } = createTurn({ timeouts: { ...timeouts, promptTimeoutMs: 5_000 } });
    void turn.run();
    turn.receive(textUpdate('part'), 1);
    vi.advanceTimersByTime(5_000);
    expect(port.calls).toContain('cancel');
    expect(await codeOf(turn.result)).toBe('pending');
    port.readResponse({ stopReason: 'cancelled' });
    const error = await outcomeOf(turn.result);
    expect(error).toMatchObject({
      code: 'timeout',
      facts: { timeoutMs: 5_000, method: 'session/prompt', sessionId: 'session-1' },
    });
    expect(turn.textSoFar).toBe('part');
    expect(turn.summary.cancelled).toMatchObject({ acknowledged: true });
  });

  test('that passes rejects even though the agent ignores the cancel', async () => {
    const { port, turn } = createTurn({ timeouts: { ...timeouts, promptTimeoutMs: 5_000 } });
    void turn.run();
    vi.advanceTimersByTime(6_000);
    expect(await codeOf(turn.result)).toBe('timeout');
    expect(port.calls).toContain('cancel ignored');
  });

  test('of silence is held by a tool call in progress', async () => {
    const { port, turn } = createTurn({ timeouts: { ...timeouts, promptIdleTimeoutMs: 1_000 } });
    const toolCall = (status: string) =>
      turn.receive({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status } as SessionUpdate, 1);
    void turn.run();
    toolCall('in_progress');
    vi.advanceTimersByTime(60_000);
    toolCall('completed');
    vi.advanceTimersByTime(999);
    expect(port.calls).not.toContain('cancel');
    vi.advanceTimersByTime(1);
    expect(port.calls).toContain('cancel');
    port.readResponse({ stopReason: 'cancelled' });
    expect(await codeOf(turn.result)).toBe('timeout');
  });

  test('does not pass any more once the response line is read', async () => {
    const { port, turn } = createTurn({
      timeouts: { ...timeouts, promptTimeoutMs: 1_000, promptIdleTimeoutMs: 1_000 },
      drainMs: 5_000,
    });
    void turn.run();
    port.readResponse(done);
    await microtasks();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(await outcomeOf(turn.result)).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcomeOf(turn.result)).toEqual(done);
  });
});

describe('B29 drainMs', () => {
  test('keeps the turn open for stragglers', async () => {
    const { port, turn } = createTurn({ drainMs: 50 });
    void turn.run();
    const seen = texts(turn);
    turn.receive(textUpdate('a'), 1);
    port.readResponse(done);
    await microtasks();
    expect(turn.acceptsUpdates).toBe(true);
    turn.receive(textUpdate('late'), 1);
    await vi.advanceTimersByTimeAsync(50);
    expect(await seen).toEqual(['a', 'late']);
    expect(turn.acceptsUpdates).toBe(false);
  });

  test('is cut short by a cancel, which sends nothing', async () => {
    const { port, turn } = createTurn({ drainMs: 50 });
    void turn.run();
    port.readResponse(done);
    await microtasks();
    await turn.cancel();
    expect(await turn.result).toEqual(done);
    expect(port.calls).not.toContain('cancel');
  });

  test('is cut short by the end of the session, and the answer counts', async () => {
    const { port, turn } = createTurn({ drainMs: 50 });
    void turn.run();
    port.readResponse(done);
    await microtasks();
    turn.abandon(failure('closed'));
    expect(await outcomeOf(turn.result)).toEqual(done);
  });

  test('does not hold up the end of a cancelled turn', async () => {
    const { port, turn } = createTurn({ drainMs: 50 });
    void turn.run();
    const cancelled = turn.cancel();
    port.readResponse({ stopReason: 'cancelled' });
    await cancelled;
    expect(turn.state).toBe('settled');
  });
});

describe('B49 the end of the session', () => {
  test('rejects a running turn at once and tells the agent', async () => {
    const { port, turn } = createTurn();
    const finished = turn.run();
    turn.abandon(failure('closed'));
    expect(await codeOf(turn.result)).toBe('closed');
    expect(port.calls).toEqual(['prompt', 'started', 'cancel', 'settled']);
    expect(await outcomeOf(finished)).toBe('pending');
    port.readResponse(done);
    await finished;
    expect(await codeOf(turn.result)).toBe('closed');
  });

  test('is no second cancel for a turn that was cancelled, and does not undo it', async () => {
    const { port, turn } = createTurn();
    void turn.run();
    const cancelled = turn.cancel();
    turn.abandon(failure('closed'));
    await cancelled;
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
    expect(turn.summary.cancelled).toMatchObject({ acknowledged: false, error: { code: 'closed' } });
    expect(port.calls.filter((call) => call === 'cancel')).toHaveLength(1);
  });

  test('rejects a turn in the queue, of which nothing was sent', async () => {
    const { port, turn } = createTurn();
    turn.abandon(failure('closed'));
    expect(await codeOf(turn.result)).toBe('closed');
    expect(port.calls).toEqual([]);
  });
});

test('an unread result is no unhandled rejection', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  const { port, turn } = createTurn();
  void turn.run();
  port.readError(failure('request-failed'));
  await microtasks();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', unhandled);
  expect(turn.state).toBe('settled');
  expect(unhandled).not.toHaveBeenCalled();
});

test('a turn is not a thenable', () => {
  expect(createTurn().turn).not.toHaveProperty('then');
});
