import type { SessionNotification } from '@agentclientprotocol/sdk';
import { beforeEach, describe, expect, test } from 'vitest';
import { UpdateRouter, type UpdateSink } from '../../../src/session/update-router.ts';

let seen: string[];
let router: UpdateRouter;

const update = (sessionId: string, name: number | string): SessionNotification =>
  ({ sessionId, update: { sessionUpdate: 'x', name } }) as unknown as SessionNotification;

const nameOf = ({ sessionId, update: { name } }: SessionNotification & { update: { name?: unknown } }) =>
  `${sessionId}:${String(name)}`;

const sink = (label: string): UpdateSink => ({
  receive: (notification) => seen.push(`${label} ${nameOf(notification)}`),
});

beforeEach(() => {
  seen = [];
  router = new UpdateRouter((notification) => seen.push(`unrouted ${nameOf(notification)}`));
});

test('each update goes to its session', () => {
  router.register('a', sink('A'));
  router.register('b', sink('B'));
  for (const id of ['a', 'b', 'a', 'c']) router.route(update(id, 1), 1);
  expect(seen).toEqual(['A a:1', 'B b:1', 'A a:1', 'unrouted c:1']);
});

test('an id is free again after its session, but only for its own sink', () => {
  const [first, second] = [sink('first'), sink('second')];
  router.register('a', first);
  router.register('a', second);
  router.unregister('a', first);
  router.route(update('a', 1), 1);
  router.unregister('a', second);
  router.route(update('a', 2), 1);
  expect(seen).toEqual(['second a:1', 'unrouted a:2']);
});

describe('B27 while a session is being opened', () => {
  test('updates for ids that are not known yet wait for it, in order', () => {
    router.register('old', sink('Old'));
    const stop = router.expectSession();
    router.route(update('new', 1), 1);
    router.route(update('old', 1), 1);
    router.route(update('new', 2), 1);
    expect(seen).toEqual(['Old old:1']);
    router.register('new', sink('New'));
    router.route(update('new', 3), 1);
    stop();
    router.route(update('new', 4), 1);
    expect(seen).toEqual(['Old old:1', 'New new:1', 'New new:2', 'New new:3', 'New new:4']);
  });

  test('those that nobody claims are told when the last opening is over', () => {
    const stopFirst = router.expectSession();
    const stopSecond = router.expectSession();
    router.route(update('stranger', 1), 1);
    stopFirst();
    stopFirst();
    expect(seen).toEqual([]);
    stopSecond();
    expect(seen).toEqual(['unrouted stranger:1']);
    router.route(update('stranger', 2), 1);
    expect(seen).toEqual(['unrouted stranger:1', 'unrouted stranger:2']);
  });

  test('two sessions that open at once each get their own', () => {
    const stops = [router.expectSession(), router.expectSession()];
    for (const [id, name] of [
      ['a', 1],
      ['b', 1],
      ['a', 2],
    ] as const)
      router.route(update(id, name), 1);
    router.register('b', sink('B'));
    router.register('a', sink('A'));
    for (const stop of stops) stop();
    expect(seen).toEqual(['B b:1', 'A a:1', 'A a:2']);
  });

  test('a sink that receives early updates may unregister itself', () => {
    const stop = router.expectSession();
    router.route(update('a', 1), 1);
    router.route(update('a', 2), 1);
    const own: UpdateSink = {
      receive: (notification) => {
        seen.push(nameOf(notification));
        router.unregister('a', own);
      },
    };
    router.register('a', own);
    router.route(update('a', 3), 1);
    stop();
    expect(seen).toEqual(['a:1', 'a:2', 'unrouted a:3']);
  });

  test.each([
    ['count', 1_000, 1],
    ['size', 4, 1024 * 1024],
  ])('no more wait than fit, by %s; the rest is told at once', (_what, count, size) => {
    const stop = router.expectSession();
    for (let index = 0; index < count + 2; index += 1) router.route(update('a', index), size);
    expect(seen).toEqual([`unrouted a:${count}`, `unrouted a:${count + 1}`]);
    router.register('a', sink('A'));
    expect(seen).toHaveLength(count + 2);
    // What was claimed made room.
    router.route(update('b', 1), size);
    router.register('b', sink('B'));
    expect(seen.at(-1)).toBe('B b:1');
    stop();
  });
});

test('a session is expected while it is registered, and any while one is being opened', () => {
  const own = sink('Own');
  router.register('own', own);
  expect([router.expects('own'), router.expects('other')]).toEqual([true, false]);
  const stop = router.expectSession();
  expect(router.expects('other')).toBe(true);
  stop();
  router.unregister('own', own);
  expect([router.expects('own'), router.expects('other')]).toEqual([false, false]);
});
