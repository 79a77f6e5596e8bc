import { describe, expect, it } from 'vitest';
import { mentions, mentionsAnother } from '../../../src/session/session-mentions.ts';

describe('mentions', () => {
  it.each([
    ['Session abc-1 not found', 'abc-1', true],
    ['Session "abc-1"', 'abc-1', true],
    ['abc-1', 'abc-1', true],
    ['session:abc-1', 'abc-1', true],
    ['Session abc-12 not found', 'abc-1', false],
    ['xabc-1', 'abc-1', false],
    ['xabc-1 abc-1', 'abc-1', true],
    ['anything', '', false],
    ['', '', false],
  ])('%j names %j: %j', (text, id, expected) => {
    expect(mentions(text, id)).toBe(expected);
  });

  it('takes another id for another session', () => {
    const other = 'No conversation found with session ID: 11111111-1111-4111-8111-111111111111';
    expect(mentionsAnother(other, 'abc-1')).toBe(true);
    expect(mentionsAnother(other, '11111111-1111-4111-8111-111111111111')).toBe(false);
  });
});
