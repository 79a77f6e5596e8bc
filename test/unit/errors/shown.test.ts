import { expect, test } from 'vitest';
import { shown } from '../../../src/errors/shown.ts';

const nested = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
const circular: unknown[] = [];
circular.push(circular);

test.each<[string, unknown, string]>([
  ['a text', 'a "b"', '"a \\"b\\""'],
  ['nothing', undefined, 'nothing'],
  ['null', null, 'null'],
  ['an object', { a: 1 }, '{"a":1}'],
  ['much', 'x'.repeat(300), `"${'x'.repeat(199)}…`],
  ['what is nested until the stack overflows', nested, "something that can't be shown"],
  ['what JSON has no form for', 1n, "something that can't be shown"],
  ['what holds itself', circular, "something that can't be shown"],
])('%s', (_what, value, text) => {
  expect(shown(value)).toBe(text);
});

test('secrets go before it is cut', () => {
  const redactor = { redact: (text: string) => text.replaceAll('secret', '[redacted]') };
  expect(shown(`${'x'.repeat(196)}secret`, redactor)).toBe(`"${'x'.repeat(196)}[re…`);
});
