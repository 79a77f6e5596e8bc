import { expect, it, vi } from 'vitest';
import { ChangeQueue } from '../../../src/manager/change-queue.ts';

const tick = () => new Promise((resolve) => setImmediate(resolve));

it('runs one after another, also after one that failed', async () => {
  const log: string[] = [];
  const afterEach = vi.fn();
  const queue = new ChangeQueue(afterEach);
  const change = (name: string) => async () => {
    log.push(`${name} begins`);
    await tick();
    log.push(`${name} ends`);
    if (name === 'b') throw new Error('failed');
    return name;
  };
  expect(queue.isEmpty).toBe(true);
  const all = ['a', 'b', 'c'].map((name) => queue.run(change(name)));
  expect(queue.isEmpty).toBe(false);
  const settled = await Promise.allSettled(all);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(log).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  expect([queue.isEmpty, afterEach.mock.calls.length]).toEqual([true, 3]);
});
