import { beforeEach, expect, test } from 'vitest';
import { TypedEvents } from '../../../src/session/typed-events.ts';

type Events = { word: readonly [text: string]; end: readonly [] };

let errors: [string, unknown][];
let events: TypedEvents<Events>;
let seen: string[];
const see = (name: string) => (text: string) => void seen.push(`${name} ${text}`);

beforeEach(() => {
  errors = [];
  seen = [];
  events = new TypedEvents<Events>((event, error) => errors.push([event, error]));
});

test('listeners are called in the order in which they came, until they are removed', () => {
  const removeFirst = events.on('word', see('first'));
  events.on('word', see('second'));
  events.emit('word', 'a');
  removeFirst();
  removeFirst();
  events.emit('word', 'b');
  expect(seen).toEqual(['first a', 'second a', 'second b']);
  expect(events.listenerCount('word')).toBe(1);
});

test('the same listener may be added twice and is removed once', () => {
  const listener = see('twice');
  const remove = events.on('word', listener);
  events.on('word', listener);
  events.emit('word', 'a');
  remove();
  events.emit('word', 'b');
  expect(seen).toEqual(['twice a', 'twice a', 'twice b']);
});

test('once is once', () => {
  events.once('word', see('once'));
  events.emit('word', 'a');
  events.emit('word', 'b');
  expect(seen).toEqual(['once a']);
  const remove = events.once('word', see('never'));
  remove();
  events.emit('word', 'c');
  expect(seen).toHaveLength(1);
});

test('a listener that throws or rejects does not stop the others', async () => {
  const [thrown, rejected] = [new Error('thrown'), new Error('rejected')];
  events.on('word', () => {
    throw thrown;
  });
  events.on('word', () => Promise.reject(rejected));
  events.on('word', see('last'));
  events.emit('word', 'a');
  expect(seen).toEqual(['last a']);
  await Promise.resolve();
  await Promise.resolve();
  expect(errors).toEqual([
    ['word', thrown],
    ['word', rejected],
  ]);
});

test('without a listener for errors they are dropped', () => {
  const silent = new TypedEvents<Events>();
  silent.on('end', () => {
    throw new Error('thrown');
  });
  expect(() => silent.emit('end')).not.toThrow();
});

test('a listener that is added or removed while an event is on its way does not get it, or still does', () => {
  const remove = events.on('word', (text) => {
    seen.push(`first ${text}`);
    events.on('word', see('added'));
    remove();
  });
  events.on('word', see('second'));
  events.emit('word', 'a');
  expect(seen).toEqual(['first a', 'second a']);
});

test('all listeners can be removed', () => {
  events.on('word', see('a'));
  events.removeAllListeners();
  events.emit('word', 'a');
  expect(seen).toEqual([]);
});
