import { expect, it } from 'vitest';
import { PromptLine } from '../../../src/manager/prompt-line.ts';

const tick = () => new Promise((resolve) => setImmediate(resolve));

/** Joins and notes when the place is reached. */
function join(line: PromptLine, name: string, log: string[]) {
  const place = line.join();
  void place.reached.then(() => log.push(name));
  return place;
}

it('lets one go on after the other, in the order in which they came', async () => {
  const line = new PromptLine();
  const log: string[] = [];
  const [a, b, c] = ['a', 'b', 'c'].map((name) => join(line, name, log));
  await tick();
  expect(log).toEqual(['a']);
  // One that gives up lets nobody past those before it.
  b!.leave();
  await tick();
  expect(log).toEqual(['a']);
  a!.leave();
  await tick();
  expect(log).toEqual(['a', 'c']);
  c!.leave();
  join(line, 'd', log);
  await tick();
  expect(log.at(-1)).toBe('d');
});

it('is bounded, by those that wait', () => {
  const line = new PromptLine();
  const places = [line.join(), line.join(), line.join(), line.join()];
  const refusal = expect.objectContaining({ code: 'queue-full' }) as Error;
  for (const place of places.slice(0, 3)) place.assertWithin(2);
  expect(() => places[3]!.assertWithin(2)).toThrow(refusal);
  expect(() => places[3]!.assertWithin(2)).toThrow('2 prompts wait');
  places[1]!.leave();
  places[1]!.leave();
  places[3]!.assertWithin(2);
  expect(() => places[3]!.assertWithin(1)).toThrow(refusal);
  places[3]!.assertWithin(Infinity);
});

it('cancels the one whose turn it is, and no other', () => {
  const line = new PromptLine();
  line.cancelFirst();
  const [a, b] = [line.join(), line.join()];
  line.cancelFirst();
  line.cancelFirst();
  expect(a.cancelled.reason).toMatchObject({ code: 'aborted' });
  expect(b.cancelled.aborted).toBe(false);
  a.leave();
  expect(line.hasWaiting).toBe(false);
  line.cancelFirst();
  expect(b.cancelled.aborted).toBe(true);
});
