import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/errors/create-redactor.ts';
import { redactJson } from '../../../src/errors/redact-json.ts';

const redactor = createRedactor([
  { value: 'top-secret-1', origin: 'explicit' },
  { value: '1234', name: 'PIN', origin: 'explicit' },
]);

describe('redactJson (B64)', () => {
  it.each<[unknown, unknown]>([
    ['a top-secret-1', 'a [redacted]'],
    [
      { 'of top-secret-1': { list: ['top-secret-1', 7, null, true] } },
      { 'of [redacted]': { list: ['[redacted]', 7, null, true] } },
    ],
    [
      { PIN: '1234', other: '1234' },
      { PIN: '[redacted]', other: '1234' },
    ],
    [{ 'x-api-key': 'k3y-value-9' }, { 'x-api-key': '[redacted]' }],
    [null, null],
    [7, 7],
  ])('%j becomes %j', (value, redacted) => {
    expect(redactJson(value, redactor)).toEqual(redacted);
  });

  it('stops where somebody nests without end', () => {
    const text = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    expect(JSON.stringify(redactJson(JSON.parse(text), redactor)).length).toBeLessThan(300);
  });
});
