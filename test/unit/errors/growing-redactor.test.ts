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

  it('learns that what was only suspected is a secret, and that a short one has another name', () => {
    const redactor = new GrowingRedactor([{ value: 'development', name: 'A_SECRET', origin: 'by-name' }]);
    expect(redactor.redact('in development')).toBe('in development');
    redactor.add([secret('development'), { value: '1234', name: 'ONE', origin: 'explicit' }]);
    redactor.add([{ value: '1234', name: 'TWO', origin: 'explicit' }]);
    expect(redactor.redact('in development, ONE=1234 TWO=1234')).toBe(
      'in [redacted], ONE=[redacted] TWO=[redacted]',
    );
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
