import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { deferred } from '../../../src/internal/deferred.ts';
import { SharedWork } from '../../../src/manager/shared-work.ts';

function setUp() {
  const shared = new SharedWork<string>();
  const runs: { readonly signal: AbortSignal; readonly end: ReturnType<typeof deferred<string>> }[] = [];
  const begin = vi.fn((signal: AbortSignal) => {
    const end = deferred<string>();
    runs.push({ signal, end });
    return end.promise;
  });
  const join = (key: string, signal = new AbortController().signal) => shared.join(key, begin, signal);
  return { join, runs, begin };
}

it('B24: shares one run for each key, with its result and its error', async () => {
  const { join, runs, begin } = setUp();
  const all = [join('a'), join('a'), join('b')];
  expect(begin).toHaveBeenCalledTimes(2);
  runs[0]!.end.resolve('done');
  const failure = new Error('failed');
  runs[1]!.end.reject(failure);
  expect(await Promise.allSettled(all)).toEqual([
    { status: 'fulfilled', value: 'done' },
    { status: 'fulfilled', value: 'done' },
    { status: 'rejected', reason: failure },
  ]);
  // The next call begins anew.
  void join('a').catch(() => undefined);
  expect(begin).toHaveBeenCalledTimes(3);
});

it('goes on as long as one waits, and is given up with the last', async () => {
  const { join, runs } = setUp();
  const [first, second] = [new AbortController(), new AbortController()];
  const all = [join('a', first.signal), join('a', second.signal)];
  first.abort(new Error('enough'));
  await expect(all[0]).rejects.toMatchObject({ code: 'aborted', cause: first.signal.reason as unknown });
  expect(runs[0]!.signal.aborted).toBe(false);
  second.abort();
  await expect(all[1]).rejects.toMatchObject({ code: 'aborted' });
  expect(runs[0]!.signal.aborted).toBe(true);
});

it('lets nobody join a run that was given up', async () => {
  const { join, runs, begin } = setUp();
  const controller = new AbortController();
  const given = join('a', controller.signal);
  controller.abort();
  await expect(given).rejects.toMatchObject({ code: 'aborted' });
  const next = join('a');
  expect(begin).toHaveBeenCalledTimes(2);
  runs[0]!.end.reject(new Error('given up'));
  runs[1]!.end.resolve('done');
  expect(await next).toBe('done');
});

it('leaves no listener on the callers signals', async () => {
  const { join, runs } = setUp();
  const { signal } = new AbortController();
  const all = [join('a', signal), join('a', signal)];
  runs[0]!.end.resolve('done');
  await Promise.all(all);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
