import type { SessionNotification } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { deferred } from '../../../src/internal/deferred.ts';
import { UpdateDelivery, type UpdateHandler } from '../../../src/session/update-delivery.ts';
import { microtasks, textUpdate } from './fake-turn-port.ts';

const nameOf = ({ update }: SessionNotification) => (update as { content: { text: string } }).content.text;

function createDelivery(handler: UpdateHandler, hardBytes = 1_000) {
  const calls: string[] = [];
  const delivery: UpdateDelivery = new UpdateDelivery(
    handler,
    { softBytes: 100, hardBytes },
    {
      pause: () => calls.push('pause'),
      resume: () => calls.push('resume'),
      stalled: () => calls.push('stalled'),
      overflow: () => {
        calls.push('overflow');
        delivery.clear();
      },
    },
    (error) => calls.push(String(error)),
  );
  const push = (name: string, size = 1) =>
    delivery.push({ sessionId: 's', update: textUpdate(name) }, 'turn', size);
  return { delivery, calls, push };
}

test('a handler that is done when it returns gets each update at once', () => {
  const seen: string[] = [];
  const { push, calls } = createDelivery((notification, { phase }) => {
    seen.push(`${nameOf(notification)} ${phase}`);
  });
  push('a', 1_000_000);
  push('b', 1_000_000);
  expect(seen).toEqual(['a turn', 'b turn']);
  expect(calls).toEqual([]);
});

describe('B30 a handler that takes its time', () => {
  test('gets one update after another, in order', async () => {
    const seen: string[] = [];
    const { push } = createDelivery(async (notification) => {
      seen.push(`${nameOf(notification)} begins`);
      // Later ones would overtake.
      for (let index = 0; index < 30 - seen.length * 5; index += 1) await Promise.resolve();
      seen.push(`${nameOf(notification)} ends`);
    });
    for (const name of ['a', 'b', 'c']) push(name);
    for (let index = 0; index < 10; index += 1) await microtasks();
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  test('that returns anything thenable is waited for', async () => {
    const gate = deferred<void>();
    const seen: string[] = [];
    const { push } = createDelivery((notification) => {
      seen.push(nameOf(notification));
      return { then: gate.promise.then.bind(gate.promise) };
    });
    push('a');
    push('b');
    expect(seen).toEqual(['a']);
    gate.resolve();
    await microtasks();
    expect(seen).toEqual(['a', 'b']);
  });

  test('X12 holds the pipe back, and lets it go when it has caught up', async () => {
    const gate = deferred<void>();
    const { push, calls } = createDelivery(() => gate.promise);
    push('a', 500);
    push('b', 60);
    push('c', 60);
    expect(calls).toEqual(['pause']);
    gate.resolve();
    await microtasks();
    expect(calls).toEqual(['pause', 'resume']);
  });

  test('X12 overflows above the hard limit, as often as that happens', async () => {
    const gates = [deferred<void>(), deferred<void>()];
    let index = 0;
    const { push, calls } = createDelivery(() => gates[index++]?.promise, 200);
    push('a');
    push('b', 1);
    push('c', 300);
    gates[0]?.resolve();
    await microtasks();
    push('d');
    push('e', 1);
    push('f', 300);
    expect(calls).toEqual(['overflow', 'overflow']);
  });
});

test('a handler that throws or rejects loses nothing but its error', async () => {
  const seen: string[] = [];
  const { push, calls } = createDelivery((notification) => {
    const name = nameOf(notification);
    seen.push(name);
    if (name === 'a') throw new Error('sync');
    return name === 'b' ? Promise.reject(new Error('async')) : undefined;
  });
  for (const name of ['a', 'b', 'c', 'd']) push(name);
  await microtasks();
  expect(seen).toEqual(['a', 'b', 'c', 'd']);
  expect(calls).toEqual(['Error: sync', 'Error: async']);
});

describe('after close', () => {
  test('nothing is delivered, also not when the handler returns', async () => {
    const gate = deferred<void>();
    const seen: string[] = [];
    const { delivery, push, calls } = createDelivery((notification) => {
      seen.push(nameOf(notification));
      return gate.promise;
    });
    push('a');
    push('b', 200);
    expect(calls).toEqual(['pause']);
    delivery.close();
    expect(calls).toEqual(['pause', 'resume']);
    push('c');
    gate.resolve();
    await microtasks();
    push('d');
    expect(seen).toEqual(['a']);
  });
});
