import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { followSignals, whenAborted } from '../../../src/internal/follow-signals.ts';

describe('followSignals', () => {
  it('is aborted with the first, for its reason', () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const { signal } = followSignals(a.signal, undefined, b.signal);
    expect(signal.aborted).toBe(false);
    b.abort('because');
    a.abort('later');
    expect([signal.aborted, signal.reason]).toEqual([true, 'because']);
  });

  it('is aborted from the start where one is', () => {
    const { signal } = followSignals(new AbortController().signal, AbortSignal.abort('before'));
    expect(signal.reason).toBe('before');
  });

  it('leaves nothing behind on the signals that it followed', () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const listeners = () => [a, b].map(({ signal }) => getEventListeners(signal, 'abort').length);
    const followed = followSignals(a.signal, b.signal);
    expect(listeners()).toEqual([1, 1]);
    followed.release();
    followed.release();
    expect(listeners()).toEqual([0, 0]);
    a.abort();
    expect(followed.signal.aborted).toBe(false);
    followSignals(a.signal, b.signal);
    expect(listeners()).toEqual([0, 0]);
    const third = new AbortController();
    followSignals(b.signal, third.signal);
    third.abort();
    expect(listeners()).toEqual([0, 0]);
  });

  it('warns of no leak where hundreds follow the same one', () => {
    const warnings: unknown[] = [];
    const onWarning = (warning: unknown) => warnings.push(warning);
    process.on('warning', onWarning);
    const { signal } = new AbortController();
    const all = Array.from({ length: 300 }, () => followSignals(signal));
    return new Promise((resolve) => setImmediate(resolve)).then(() => {
      process.off('warning', onWarning);
      for (const { release } of all) release();
      expect(warnings).toEqual([]);
    });
  });
});

describe('whenAborted', () => {
  it('tells the reason, once, and who has ended the wait nothing', () => {
    const controller = new AbortController();
    const told: unknown[] = [];
    const stops = ['a', 'b', 'c'].map((name) =>
      whenAborted(controller.signal, (reason) => {
        told.push([name, reason]);
        stops[2]?.();
      }),
    );
    stops[1]?.();
    stops[1]?.();
    controller.abort('because');
    controller.abort('again');
    expect(told).toEqual([['a', 'because']]);
  });

  it('has one listener on the signal, and none when all have gone', () => {
    const { signal } = new AbortController();
    const stops = Array.from({ length: 20 }, () => whenAborted(signal, () => undefined));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    for (const stop of stops) stop();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('does nothing without a signal, or with one that is aborted already', () => {
    const told: unknown[] = [];
    whenAborted(undefined, (reason) => told.push(reason))();
    whenAborted(AbortSignal.abort('before'), (reason) => told.push(reason))();
    expect(told).toEqual([]);
  });
});
