import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeText, selectLines } from '../../../src/client/text-window.ts';

describe('selectLines', () => {
  test.each<[string, number | undefined, number | undefined, string]>([
    ['a\nb\nc\n', undefined, undefined, 'a\nb\nc\n'],
    ['a\nb\nc\n', 1, undefined, 'a\nb\nc\n'],
    ['a\nb\nc\n', 2, undefined, 'b\nc\n'],
    ['a\nb\nc\n', undefined, 2, 'a\nb\n'],
    ['a\nb\nc\n', 2, 1, 'b\n'],
    ['a\nb\nc', 3, 5, 'c'],
    ['a\nb\nc\n', 4, 5, ''],
    ['a\nb\nc', 99, undefined, ''],
    ['a\nb', 1, 0, ''],
    ['a\nb', 0, 1, 'a\n'],
    ['a\r\nb\r\n', 2, 1, 'b\r\n'],
    ['\n\nx', 2, 1, '\n'],
    ['a\rb\u2028c', 1, 1, 'a\rb\u2028c'],
    ['', undefined, undefined, ''],
    ['', 2, 2, ''],
  ])('%j from %s, %s lines: %j', (text, line, limit, expected) => {
    expect(selectLines(text, line, limit)).toBe(expected);
  });

  test('successive windows put together are the text', () => {
    const text = fc.array(fc.constantFrom('a', 'é', '\n', '\r\n')).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 4 }), (whole, limit) => {
        const windows = [];
        for (let line = 1; line <= whole.length + 1; line += limit)
          windows.push(selectLines(whole, line, limit));
        expect(windows.join('')).toBe(whole);
      }),
    );
  });
});

describe('decodeText', () => {
  test.each([
    ['ASCII', 'plain', 'plain'],
    ['CJK and emoji', '漢字 👩‍💻', '漢字 👩‍💻'],
    ['a byte order mark, kept', '\uFEFFx', '\uFEFFx'],
    ['nothing', '', ''],
  ])('takes %s', (_what, text, expected) => {
    expect(decodeText(Buffer.from(text))).toBe(expected);
  });

  test.each([
    ['a NUL byte', [0x61, 0, 0x62]],
    ['UTF-16', [0xff, 0xfe, 0x61, 0]],
    ['Latin-1', [0x63, 0x61, 0x66, 0xe9]],
    ['a character that is cut off', [0xe6, 0xbc]],
    ['a lone continuation byte', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
  ])('refuses %s', (_what, bytes) => {
    expect(decodeText(Uint8Array.from(bytes))).toBeUndefined();
  });
});
