import { expect, it } from 'vitest';
import { deferred } from '../../../src/internal/deferred.ts';
import { WorkSlots } from '../../../src/internal/work-slots.ts';

/** Work that ends when it is told to. */
function started(slots: WorkSlots, name: string, log: string[], signal?: AbortSignal) {
  const end = deferred<void>();
  const done = slots.run(async () => {
    log.push(name);
    await end.promise;
    return name;
  }, signal);
  done.catch(() => undefined);
  return { end, done };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

it('lets so many run at once, and the others in their order', async () => {
  const slots = new WorkSlots(2);
  const log: string[] = [];
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => started(slots, name, log));
  await tick();
  expect(log).toEqual(['a', 'b']);
  b!.end.resolve();
  await tick();
  expect(log).toEqual(['a', 'b', 'c']);
  a!.end.reject(new Error('failed'));
  await tick();
  expect(log).toEqual(['a', 'b', 'c', 'd']);
  c!.end.resolve();
  d!.end.resolve();
  await expect(a!.done).rejects.toThrow('failed');
  expect(await Promise.all([b!.done, c!.done, d!.done])).toEqual(['b', 'c', 'd']);
});

it('gives up a place in the line on an abort, and costs nobody a slot', async () => {
  const slots = new WorkSlots(1);
  const log: string[] = [];
  const controller = new AbortController();
  const a = started(slots, 'a', log);
  const b = started(slots, 'b', log, controller.signal);
  const c = started(slots, 'c', log);
  controller.abort(new Error('enough'));
  await expect(b.done).rejects.toThrow('enough');
  a.end.resolve();
  await tick();
  expect(log).toEqual(['a', 'c']);
  c.end.resolve();
  await c.done;
  const d = started(slots, 'd', log);
  d.end.resolve();
  expect(await d.done).toBe('d');
  await expect(started(slots, 'e', log, controller.signal).done).rejects.toThrow('enough');
});

it('keeps its slots where the abort comes in the moment of the turn', async () => {
  const slots = new WorkSlots(1);
  const log: string[] = [];
  const controller = new AbortController();
  const a = started(slots, 'a', log);
  const b = started(slots, 'b', log, controller.signal);
  a.end.resolve();
  await a.done;
  controller.abort(new Error('enough'));
  b.end.resolve();
  await b.done;
  const c = started(slots, 'c', log);
  c.end.resolve();
  expect(await c.done).toBe('c');
});
