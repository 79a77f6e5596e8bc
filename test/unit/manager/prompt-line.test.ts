import { expect, it } from 'vitest';
import { PromptLine } from '../../../src/manager/prompt-line.ts';

const tick = () => new Promise((resolve) => setImmediate(resolve));

/** Joins and notes when the place is reached. */
function join(line: PromptLine, name: string, log: string[], longest = 10) {
  const place = line.join(longest);
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
  expect(log).toEqual(['a', 'b', 'c']);
  c!.leave();
  join(line, 'd', log);
  await tick();
  expect(log.at(-1)).toBe('d');
});

it('is bounded, by those that wait', () => {
  const line = new PromptLine();
  const places = [line.join(2), line.join(2), line.join(2)];
  expect(() => line.join(2)).toThrow(expect.objectContaining({ code: 'queue-full' }) as Error);
  places[1]!.leave();
  places[1]!.leave();
  line.join(2);
  expect(() => line.join(2)).toThrow('2 prompts wait');
  places[0]!.leave();
  line.join(2);
});
