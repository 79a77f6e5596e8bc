import { afterEach, describe, expect, test } from 'vitest';
import {
  hasForeignListener,
  markAsOurs,
  someListenerIsOurs,
} from '../../../src/process/host-signal-listeners.ts';

// A signal that neither the test runner nor this test ever gets.
const signal = 'SIGUSR2';
const listener = () => () => undefined;
const version3 = '__signal_exit_emitter__';

afterEach(() => {
  process.removeAllListeners(signal);
  Reflect.deleteProperty(process, version3);
});

describe('hasForeignListener', () => {
  test('nobody, or only copies of this library', () => {
    expect(hasForeignListener(signal)).toBe(false);
    process.on(signal, markAsOurs(listener()));
    process.on(signal, markAsOurs(listener()));
    expect(hasForeignListener(signal)).toBe(false);
    expect(someListenerIsOurs(signal)).toBe(true);
  });

  test.each(['on', 'once'] as const)('a listener of the host, added by %s', (add) => {
    process[add](signal, listener());
    expect(hasForeignListener(signal)).toBe(true);
    expect(someListenerIsOurs(signal)).toBe(false);
  });

  test('as many listeners as signal-exit has counted are its own; one more is the host’s', () => {
    Reflect.set(process, version3, { count: 1 });
    process.on(signal, listener());
    expect(hasForeignListener(signal)).toBe(false);
    process.on(signal, listener());
    expect(hasForeignListener(signal)).toBe(true);
  });
});
