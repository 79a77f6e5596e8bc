import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BoundedQueue } from '../../../src/session/bounded-queue.ts';

const second = 1_000;

function createQueue(softBytes = 100, hardBytes = 3_200) {
  const calls: string[] = [];
  const queue = new BoundedQueue<string>(
    { softBytes, hardBytes },
    {
      pause: () => calls.push('pause'),
      resume: () => calls.push('resume'),
      overflow: () => calls.push('overflow'),
      stalled: () => calls.push('stalled'),
    },
  );
  return { queue, calls };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
});

test('hands items out in the order in which they came', () => {
  const { queue } = createQueue();
  const seen: (string | undefined)[] = [];
  let pushed = 0;
  // Interleaved, so that the array is cut now and then.
  for (let round = 0; round < 3_000; round += 1) {
    for (let index = 0; index < 3; index += 1) queue.push(String(pushed++), 0);
    seen.push(queue.shift(), queue.shift());
  }
  expect(queue.length).toBe(3_000);
  while (queue.length > 0) seen.push(queue.shift());
  expect(seen).toEqual(Array.from({ length: 9_000 }, (_, index) => String(index)));
  expect(queue.shift()).toBeUndefined();
});

describe('pressure', () => {
  test('pauses above the limit, not at it, and resumes at half of it', () => {
    const { queue, calls } = createQueue();
    queue.push('a', 50);
    queue.push('b', 50);
    expect(calls).toEqual([]);
    queue.push('c', 1);
    queue.push('d', 49);
    expect(calls).toEqual(['pause']);
    queue.shift();
    expect(calls).toEqual(['pause']);
    queue.shift();
    expect(calls).toEqual(['pause', 'resume']);
  });

  test('pauses for one item that is larger than the limit', () => {
    const { queue, calls } = createQueue();
    queue.push('a', 101);
    expect(calls).toEqual(['pause']);
    expect(queue.shift()).toBe('a');
    expect(calls).toEqual(['pause', 'resume']);
  });

  test('lets four times as much in for each second in which nothing is taken, and then says that it stands still', () => {
    const { queue, calls } = createQueue(100, 3_200);
    queue.push('a', 101);
    vi.advanceTimersByTime(second - 1);
    expect(calls).toEqual(['pause']);
    vi.advanceTimersByTime(1);
    expect(calls.splice(0)).toEqual(['pause', 'resume']);
    queue.push('b', 299);
    expect(calls).toEqual([]);
    queue.push('c', 1);
    vi.advanceTimersByTime(second);
    expect(calls.splice(0)).toEqual(['pause', 'resume']);
    // 1,600 is half of the hard limit: no more than that is ever let in.
    queue.push('d', 1_200);
    expect(calls).toEqual(['pause']);
    vi.advanceTimersByTime(second);
    expect(calls).toEqual(['pause', 'stalled']);
    // Each second, since what the reader waits for may have changed.
    vi.advanceTimersByTime(2 * second);
    expect(calls).toEqual(['pause', 'stalled', 'stalled', 'stalled']);
    queue.end();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('skips a step that would not let anything in', () => {
    const { queue, calls } = createQueue(100, 3_200);
    queue.push('a', 1_000);
    vi.advanceTimersByTime(second);
    expect(calls).toEqual(['pause']);
    vi.advanceTimersByTime(second);
    expect(calls).toEqual(['pause', 'resume']);
  });

  test('a reader that moves again starts over with the first limit', () => {
    const { queue, calls } = createQueue(100, 3_200);
    for (let index = 0; index < 4; index += 1) queue.push('a', 30);
    vi.advanceTimersByTime(second);
    expect(calls.splice(0)).toEqual(['pause', 'resume']);
    queue.shift();
    queue.push('b', 30);
    expect(calls.splice(0)).toEqual(['pause']);
    vi.advanceTimersByTime(second / 2);
    // Each item that is taken begins a new second.
    queue.shift();
    vi.advanceTimersByTime(second - 1);
    expect(calls).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(calls).toEqual(['resume']);
  });

  test('tells again of a reader that moved and stands still again', () => {
    const { queue, calls } = createQueue(100, 200);
    for (let index = 0; index < 4; index += 1) queue.push('a', 40);
    vi.advanceTimersByTime(second);
    expect(calls.splice(0)).toEqual(['pause', 'stalled']);
    vi.advanceTimersByTime(second - 1);
    queue.shift();
    vi.advanceTimersByTime(second - 1);
    expect(calls).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(calls).toEqual(['stalled']);
    queue.clear();
  });

  test('takes one item above the hard limit, as long as it is alone', () => {
    const { queue, calls } = createQueue(100, 200);
    queue.push('a', 1_000);
    expect(calls).toEqual(['pause']);
    expect(queue.shift()).toBe('a');
    expect(calls).toEqual(['pause', 'resume']);
    queue.push('b', 1_000);
    queue.push('c', 1);
    expect(calls.at(-1)).toBe('overflow');
  });

  test('overflows once above the hard limit, however much more comes', () => {
    const { queue, calls } = createQueue(100, 200);
    queue.push('a', 200);
    expect(calls).toEqual(['pause']);
    queue.push('b', 1);
    queue.push('c', 1);
    expect(calls).toEqual(['pause', 'overflow']);
  });

  test('can overflow again after it was cleared', () => {
    const { queue, calls } = createQueue(100, 200);
    queue.push('a', 1);
    queue.push('b', 200);
    expect(calls).toEqual(['overflow']);
    queue.clear();
    queue.push('c', 1);
    queue.push('d', 200);
    expect(calls).toEqual(['overflow', 'overflow']);
  });

  test('an overflow handler may clear the queue', () => {
    const seen: string[] = [];
    const queue: BoundedQueue<string> = new BoundedQueue(
      { softBytes: 100, hardBytes: 200 },
      {
        pause: () => seen.push('pause'),
        resume: () => seen.push('resume'),
        stalled: () => seen.push('stalled'),
        overflow: () => queue.clear(),
      },
    );
    queue.push('a', 150);
    queue.push('b', 100);
    expect(queue.length).toBe(0);
    expect(seen).toEqual(['pause', 'resume']);
  });
});

describe('the end', () => {
  test('clear drops everything, resumes and leaves no timer', () => {
    const { queue, calls } = createQueue();
    queue.push('a', 101);
    queue.clear();
    expect(calls).toEqual(['pause', 'resume']);
    expect(queue.shift()).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('end keeps what is there, resumes and leaves no timer', () => {
    const { queue, calls } = createQueue();
    queue.push('a', 101);
    queue.push('b', 101);
    queue.end();
    expect(calls).toEqual(['pause', 'resume']);
    expect([queue.shift(), queue.shift(), queue.shift()]).toEqual(['a', 'b', undefined]);
    expect(calls).toEqual(['pause', 'resume']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
