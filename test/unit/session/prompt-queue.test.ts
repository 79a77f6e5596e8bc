import { beforeEach, describe, expect, test } from 'vitest';
import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';
import { PromptQueue } from '../../../src/session/prompt-queue.ts';
import { createTurn, microtasks } from './fake-turn-port.ts';

const done = { stopReason: 'end_turn' } as const;
const closed = () => new AcpLauncherError('closed', 'closed', { phase: 'shutdown' });

let queue: PromptQueue;
let log: string[];

/** Adds a turn whose steps are logged under its name. */
function add(name: string) {
  const created = createTurn();
  created.port.started = () => log.push(`${name} starts`);
  created.turn.on('end', (outcome) =>
    log.push(`${name} ${'response' in outcome ? outcome.response.stopReason : codeOf(outcome.error)}`),
  );
  created.port.dequeue = () => queue.remove(created.turn);
  queue.add(created.turn);
  return created;
}

const codeOf = (error: unknown) => (AcpLauncherError.isInstance(error) ? error.code : String(error));

beforeEach(() => {
  queue = new PromptQueue(3);
  log = [];
});

test('turns run one after another, in order', async () => {
  const [a, b, c] = [add('a'), add('b'), add('c')];
  expect(queue.active).toBe(a.turn);
  await microtasks();
  expect(log).toEqual(['a starts']);
  a.port.readResponse(done);
  await microtasks();
  expect(queue.active).toBe(b.turn);
  b.port.readResponse(done);
  await microtasks();
  c.port.readResponse(done);
  await microtasks();
  expect(log).toEqual(['a starts', 'a end_turn', 'b starts', 'b end_turn', 'c starts', 'c end_turn']);
  expect(queue.active).toBeUndefined();
});

test('a turn that fails does not stop those behind it', async () => {
  const [a] = [add('a'), add('b')];
  a.port.readError(closed());
  await microtasks();
  expect(log).toEqual(['a starts', 'a closed', 'b starts']);
});

test('a turn that is cancelled while it waits is never sent', async () => {
  const [a, b] = [add('a'), add('b'), add('c')];
  await b.turn.cancel();
  a.port.readResponse(done);
  await microtasks();
  expect(log).toEqual(['a starts', 'b cancelled', 'a end_turn', 'c starts']);
  expect(b.port.calls).toEqual([]);
});

test('B36 the next turn waits until the agent has answered the cancelled one', async () => {
  const [a] = [add('a'), add('b')];
  const cancelled = a.turn.cancel();
  await microtasks();
  expect(log).toEqual(['a starts']);
  a.port.readResponse({ stopReason: 'cancelled' });
  await cancelled;
  await microtasks();
  expect(log).toEqual(['a starts', 'a cancelled', 'b starts']);
});

test('a turn beyond the limit fails, and the others are as they were', async () => {
  const a = add('a');
  for (const name of ['b', 'c', 'd', 'e']) add(name);
  expect(log).toEqual(['a starts', 'e queue-full']);
  a.port.readResponse(done);
  await microtasks();
  add('f');
  expect(log).toEqual(['a starts', 'e queue-full', 'a end_turn', 'b starts']);
});

test('a turn that may not be sent any more leaves its place to the next one', async () => {
  const a = add('a');
  const aborted = createTurn({ signal: AbortSignal.abort() });
  queue.add(aborted.turn);
  add('b');
  a.port.readResponse(done);
  await microtasks();
  expect(log).toEqual(['a starts', 'a end_turn', 'b starts']);
  expect(aborted.turn.state).toBe('settled');
});

test('who is told that a turn was sent sees it as the active one', () => {
  const { turn, port } = createTurn();
  let active: unknown;
  port.started = () => (active = queue.active);
  queue.add(turn);
  expect(active).toBe(turn);
});

describe('B49 the end', () => {
  test('settles every turn at once, and is over when the agent has answered', async () => {
    const [a] = [add('a'), add('b'), add('c')];
    let over = false;
    void queue.closeAll(closed()).then(() => (over = true));
    await microtasks();
    expect(log).toEqual(['a starts', 'b closed', 'c closed', 'a closed']);
    expect(over).toBe(false);
    a.port.readResponse(done);
    await microtasks();
    expect(over).toBe(true);
    expect(log).toHaveLength(4);
  });

  test('of an empty queue is over at once, more than once', async () => {
    await queue.closeAll(closed());
    await queue.closeAll(closed());
  });
});

test('B59 what holds the clock of silence holds it for the turns that follow too', async () => {
  const holds: string[] = [];
  const [a, b] = [createTurn(), createTurn()];
  for (const [name, { turn }] of Object.entries({ a, b })) {
    turn.hold = (reason, held) => holds.push(`${name} ${reason} ${held}`);
  }
  queue.add(a.turn);
  queue.add(b.turn);
  queue.hold('client', true);
  queue.hold('handler', true);
  queue.hold('handler', false);
  a.port.readResponse(done);
  await microtasks();
  queue.hold('client', false);
  expect(holds).toEqual([
    'a client true',
    'a handler true',
    'a handler false',
    'b client true',
    'b client false',
  ]);
});
