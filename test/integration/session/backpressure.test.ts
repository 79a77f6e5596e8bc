import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import type { AgentSession } from '../../../src/agent-session.ts';
import { AgentStartConfig } from '../../../src/config/agent-start-config.ts';
import type { PromptTurn } from '../../../src/session/prompt-turn.ts';
import { agentRuns, failureOf } from '../../helpers/agent-runs.ts';

const runs = agentRuns();

const KB = 1_000;
const MB = 1_000 * KB;
/** Some 17 MB on the wire, written by the agent as fast as the pipe takes it, before it reads on. */
const flood = '/burst 100000';
const floodUpdates = 100_000;

const numberOf = (update: SessionUpdate) => Number((update as { content: { text: string } }).content.text);

/** Counts what the library has taken off the pipe. */
function countReceived(session: AgentSession): { readonly bytes: number } {
  const received = { bytes: 0 };
  session.on('update', (update) => (received.bytes += JSON.stringify(update).length + 90));
  return received;
}

/** Iterates to the end; `atFirst` runs within the iteration, and nothing is pulled until it is over. */
async function iterate(turn: PromptTurn, atFirst: () => Promise<unknown>): Promise<number> {
  let count = 0;
  for await (const update of turn) {
    if (count === 0) await atFirst();
    if (numberOf(update) !== count) throw new Error(`update ${count} is ${numberOf(update)}`);
    count += 1;
  }
  return count;
}

describe('X12 a reader that stands still', () => {
  test('holds the agent back, within the limit, and gets everything in the end', async () => {
    const session = await runs.launch(faultyAgent([]), { maxBufferedBytes: 100 * KB });
    const received = countReceived(session);
    const turn = session.prompt(flood);
    const count = await iterate(turn, async () => {
      await delay(500);
      // The limit, what was in one read beyond it, and what a second of standing still may add.
      expect(received.bytes).toBeLessThan(2 * MB);
    });
    expect(count).toBe(floodUpdates);
    expect(await turn.result).toEqual({ stopReason: 'end_turn' });
    expect(received.bytes).toBeGreaterThan(10 * MB);
  });

  test('is told of, when it has stood still for long', async () => {
    const session = await runs.launch(faultyAgent([]), {
      maxBufferedBytes: 100 * KB,
      maxBufferedHardBytes: 400 * KB,
    });
    const turn = session.prompt(flood);
    const stalled = new Promise<void>((resolve) => turn.on('stalled', resolve));
    expect(await iterate(turn, () => stalled)).toBe(floodUpdates);
  });

  test('and is slow all the time holds the agent back all the time', async () => {
    const session = await runs.launch(faultyAgent([]), { maxBufferedBytes: 50 * KB });
    const received = countReceived(session);
    let read = 0;
    let ahead = 0;
    for await (const update of session.prompt('/burst 20000')) {
      read += JSON.stringify(update).length + 90;
      ahead = Math.max(ahead, received.bytes - read);
      if (numberOf(update) % 20 === 0) await delay(0);
    }
    expect(ahead).toBeLessThan(500 * KB);
  });

  test('in a sessionUpdate handler holds the agent back as well, and misses nothing', async () => {
    let handled = 0;
    let ahead = 0;
    let inOrder = true;
    const session = await runs.launch(faultyAgent([]), {
      maxBufferedBytes: 50 * KB,
      client: {
        sessionUpdate: async ({ update }) => {
          await delay(0);
          inOrder &&= numberOf(update) === handled;
          handled += 1;
          ahead = Math.max(ahead, received.updates - handled);
        },
      },
    });
    const received = { updates: 0 };
    session.on('update', () => (received.updates += 1));
    const turn = session.prompt('/burst 3000');
    expect(await turn.result).toEqual({ stopReason: 'end_turn' });
    while (handled < 3_000) await delay(5);
    expect(inOrder).toBe(true);
    // At 170 bytes each.
    expect(ahead * 170).toBeLessThan(500 * KB);
  });

  test('in a sessionUpdate handler is told of, and a cancel ends the turn all the same', async () => {
    const session = await runs.open(faultyAgent('long-turn', { count: 1_000_000, delayMs: 0 }), {
      maxBufferedBytes: 10 * KB,
      maxBufferedHardBytes: 40 * KB,
      client: { sessionUpdate: () => new Promise<never>(() => undefined) },
    });
    let told = 0;
    const stalled = new Promise<void>((resolve) => session.on('stalled', () => resolve(void (told += 1))));
    const turn = session.prompt('go');
    await stalled;
    await turn.cancel();
    expect(turn.summary.cancelled).toMatchObject({ acknowledged: true });
    expect(told).toBe(1);
  });

  test('while another session of the agent is busy does not hold that one back', async () => {
    const connection = await runs.connect(faultyAgent([]), { maxBufferedBytes: 10 * KB });
    const config = new AgentStartConfig();
    const [slow, busy] = [await connection.openSession(config), await connection.openSession(config)];
    const turn = slow.prompt('/burst 5000');
    const count = await iterate(turn, async () => {
      expect((await busy.prompt('/echo on').text()).trim()).toBe('on');
    });
    expect(count).toBe(5_000);
  });
});

describe('X12 a program that waits within its iteration', () => {
  const waits: Record<string, (session: AgentSession) => Promise<unknown>> = {
    'for a mode': (session) => session.setMode('code'),
    'for a list': async ({ connection }) => {
      for await (const { sessionId } of connection.listSessions()) if (sessionId === '') return;
    },
    'for another session': ({ connection }) => connection.openSession(new AgentStartConfig()),
  };

  test.each(Object.entries(waits))('%s does not deadlock', async (_what, wait) => {
    const session = await runs.launch(faultyAgent('offers-modes'), { maxBufferedBytes: 50 * KB });
    expect(await iterate(session.prompt(flood), () => wait(session))).toBe(floodUpdates);
  });

  test('for a cancel does not deadlock', async () => {
    const session = await runs.launch(faultyAgent('long-turn', { count: 1_000_000, delayMs: 0 }), {
      maxBufferedBytes: KB,
    });
    const turn = session.prompt('go');
    for await (const update of turn) {
      if (numberOf(update) !== 100) continue;
      await delay(50);
      await turn.cancel();
    }
    expect(await turn.result).toEqual({ stopReason: 'cancelled' });
  });

  test('for the end of the session does not deadlock', async () => {
    const session = await runs.launch(faultyAgent([]), { maxBufferedBytes: 50 * KB });
    const iterated = iterate(session.prompt(flood), async () => {
      await delay(50);
      await session.close();
    });
    expect(await failureOf(iterated)).toMatchObject({ code: 'closed' });
  });

  test('for a permission that is behind the pause does not deadlock', async () => {
    let asked: () => void = () => undefined;
    const permission = new Promise<void>((resolve) => (asked = resolve));
    const session = await runs.launch(faultyAgent('silent-tool-call', { delayMs: 100 }), {
      // The first update is too much already.
      maxBufferedBytes: 100,
      client: {
        requestPermission: () => {
          asked();
          return { outcome: { outcome: 'selected', optionId: 'id-allow_once' } };
        },
      },
    });
    const turn = session.prompt('/permission');
    const updates = turn[Symbol.asyncIterator]();
    await permission;
    let count = 0;
    while ((await updates.next()).done !== true) count += 1;
    expect(count).toBeGreaterThan(2);
    expect(await turn.text()).toContain('id-allow_once');
  });

  test('for the next turn does not deadlock', async () => {
    const session = await runs.launch(faultyAgent([]), { maxBufferedBytes: 50 * KB });
    const count = await iterate(session.prompt('/burst 5000'), () => session.prompt('/echo next').text());
    expect(count).toBe(5_000);
  });

  test('for the next turn, behind more than may wait, learns that this can not be, and the next turn runs', async () => {
    const session = await runs.launch(faultyAgent([]), {
      maxBufferedBytes: 50 * KB,
      maxBufferedHardBytes: 200 * KB,
    });
    let answer = '';
    const iterated = iterate(session.prompt(flood), async () => {
      answer = await session.prompt('/echo next').text();
    });
    expect(await failureOf(iterated)).toMatchObject({ code: 'turn-overflow' });
    expect(answer.trim()).toBe('next');
  });

  test('for the result of this very turn learns that this can not be', async () => {
    const session = await runs.launch(faultyAgent([]), {
      maxBufferedBytes: 50 * KB,
      maxBufferedHardBytes: 200 * KB,
    });
    const turn = session.prompt(flood);
    const iterated = iterate(turn, () => turn.text());
    expect(await failureOf(iterated)).toMatchObject({ code: 'turn-overflow' });
    expect((await session.prompt('/echo on').text()).trim()).toBe('on');
  });

  test('and lets more come than may wait learns that too; the session goes on', async () => {
    const session = await runs.launch(faultyAgent('offers-modes'), {
      maxBufferedBytes: 50 * KB,
      maxBufferedHardBytes: MB,
    });
    const turn = session.prompt(flood);
    // The mode is answered behind the flood: the pipe may not be held for it.
    const iterated = iterate(turn, () => session.setMode('code'));
    expect(await failureOf(iterated)).toMatchObject({ code: 'turn-overflow', phase: 'prompt' });
    expect(await failureOf(turn.result)).toMatchObject({ code: 'turn-overflow' });
    expect((await session.prompt('/echo on').text()).trim()).toBe('on');
  });
});

describe('whoever does not iterate', () => {
  test('is not held back, and can not iterate later', async () => {
    const session = await runs.launch(faultyAgent([]), { maxBufferedBytes: 10 * KB });
    const turn = session.prompt('/burst 5000');
    expect(await turn.result).toEqual({ stopReason: 'end_turn' });
    expect(turn.summary.updates).toBe(5_000);
    expect(() => turn[Symbol.asyncIterator]()).toThrow(expect.objectContaining({ code: 'turn-consumed' }));
  });

  test('and does not read the result either ends its turn all the same', async () => {
    const session = await runs.launch(faultyAgent([]), { maxBufferedBytes: 10 * KB });
    const turn = session.prompt('/burst 5000');
    await new Promise((resolve) => turn.on('end', resolve));
    expect(turn.summary).toMatchObject({ updates: 5_000, stopReason: 'end_turn' });
  });

  test('can iterate what has come, as long as it was kept', async () => {
    const session = await runs.launch(faultyAgent([]));
    const turn = session.prompt('/burst 100');
    await new Promise((resolve) => turn.on('end', resolve));
    expect(await iterate(turn, () => turn.result)).toBe(100);
  });

  test('keeps nothing of its updates but their text', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const session = await runs.launch(faultyAgent([]));
    await session.prompt('/burst 1000').result;
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const turn = session.prompt('/burst 300000');
    await turn.result;
    collectGarbage();
    // 2 MB of text; the updates would be 100 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(15 * MB);
    expect(turn.summary.updates).toBe(300_000);
  });
});

test('X11 five megabytes to an agent that only writes get there when it reads on, and all of its writing here', async () => {
  const connection = await runs.connect(faultyAgent('stops-reading', { bytes: 4 * MB, delayMs: 500 }));
  const config = new AgentStartConfig();
  const [one, other] = [await connection.openSession(config), await connection.openSession(config)];
  const turn = one.prompt('/echo first');
  let bytes = 0;
  turn.on('update', (update) => (bytes += JSON.stringify(update).length));
  await new Promise((resolve) => turn.on('update', resolve));
  const answer = connection.agent.request('vendor/huge', { text: 'x'.repeat(5 * MB) });
  await expect(answer).rejects.toMatchObject({ code: -32601 });
  expect(await turn.result).toEqual({ stopReason: 'end_turn' });
  expect(bytes).toBeGreaterThan(4 * MB);
  await other.close();
});
