import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tailAtCharacter, TerminalOutput, type OutputStream } from '../../../src/client/terminal-output.ts';

function collect(limitBytes: number, ...chunks: readonly (string | Buffer | [OutputStream, Buffer])[]) {
  const output = new TerminalOutput(limitBytes);
  for (const chunk of chunks) {
    if (Array.isArray(chunk)) output.write(...chunk);
    else output.write('stdout', Buffer.from(chunk));
  }
  return output;
}

const han = Buffer.from('漢');

describe('TerminalOutput', () => {
  test.each<[number, string[], string, boolean]>([
    [10, [], '', false],
    [10, ['abc', 'def'], 'abcdef', false],
    [6, ['abc', 'def'], 'abcdef', false],
    [5, ['abc', 'def'], 'bcdef', true],
    [3, ['abcdefghi'], 'ghi', true],
    [3, ['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'efg', true],
    [3, ['abcdefghi', 'j'], 'hij', true],
    [0, ['abc'], '', true],
    [0, [], '', false],
    [3, ['漢字'], '字', true],
    [4, ['漢字'], '字', true],
    [5, ['漢字'], '字', true],
    [2, ['漢字'], '', true],
    [6, ['漢字'], '漢字', false],
    [7, ['x😀😀'], '😀', true],
    [1, ['é', 'a'], 'a', true],
  ])('at most %i bytes of %j: %j, truncated: %s', (limit, chunks, output, truncated) => {
    expect(collect(limit, ...chunks).read()).toEqual({ output, truncated });
  });

  test('B54 a character that is split across reads is whole, also with the other stream in between', () => {
    const output = collect(100, ['stdout', han.subarray(0, 1)], ['stderr', Buffer.from('!')]);
    expect(output.read().output).toBe('!');
    output.write('stdout', han.subarray(1));
    expect(output.read().output).toBe('!漢');
  });

  test('what is left of a character at the end shows as a replacement', () => {
    const output = collect(100, 'a', han.subarray(0, 2));
    output.end('stdout');
    output.end('stderr');
    expect(output.read()).toEqual({ output: 'a\uFFFD', truncated: false });
  });

  test('bytes that are not UTF-8 stay within the limit as well', () => {
    const { output } = collect(10, Buffer.alloc(100, 0xff)).read();
    expect(output).toBe('\uFFFD'.repeat(3));
  });

  test('whatever the chunks: the longest tail of whole characters that fits', () => {
    const chunk = fc.string({ unit: 'grapheme', maxLength: 12 });
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 30 }), fc.nat(40), (chunks, limit) => {
        const whole = chunks.join('');
        const characters = Array.from(whole);
        while (Buffer.byteLength(characters.join('')) > limit) characters.shift();
        const expected = characters.join('');
        expect(collect(limit, ...chunks).read()).toEqual({
          output: expected,
          truncated: expected.length < whole.length,
        });
      }),
    );
  });

  test('keeps about twice the limit, however much is written', () => {
    const output = new TerminalOutput(1000);
    const before = process.memoryUsage().arrayBuffers;
    const line = Buffer.from('x'.repeat(999));
    for (let round = 0; round < 20_000; round += 1) output.write('stdout', line);
    expect(output.read().output).toHaveLength(1000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  });
});

test.each([
  ['漢字', 6, '漢字'],
  ['漢字', 4, '字'],
  ['漢字', 0, ''],
  ['', 5, ''],
])('tailAtCharacter(%j, %i) is %j', (text, limit, expected) => {
  expect(tailAtCharacter(Buffer.from(text), limit).toString()).toBe(expected);
});
