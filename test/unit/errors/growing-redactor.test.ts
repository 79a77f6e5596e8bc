import { describe, expect, it } from 'vitest';
import { GrowingRedactor } from '../../../src/errors/growing-redactor.ts';
import type { Secret } from '../../../src/errors/redactor.ts';

const secret = (value: string): Secret => ({ value, origin: 'explicit' });

describe('GrowingRedactor', () => {
  it('hides what it was given first and what it learnt later', () => {
    const redactor = new GrowingRedactor([secret('first-secret')]);
    expect(redactor.redact('first-secret later-secret')).toBe('[redacted] later-secret');
    redactor.add([secret('later-secret'), secret('first-secret')]);
    expect(redactor.redact('first-secret later-secret')).toBe('[redacted] [redacted]');
  });

  it('loses nothing that a stream holds back while it learns', () => {
    const redactor = new GrowingRedactor([secret('first-secret')]);
    const stream = redactor.stream();
    let text = stream.push('a first-se');
    redactor.add([secret('later-secret')]);
    text += stream.push('cret and later-');
    text += stream.push('secret b');
    expect(text + stream.flush()).toBe('a [redacted] and [redacted] b');
  });
});
