import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/errors/create-redactor.ts';
import { noRedaction } from '../../../src/errors/redactor.ts';
import { StderrTail } from '../../../src/process/stderr-tail.ts';

function tail({ maxBytes = 64 * 1024, redactor = noRedaction } = {}) {
  const stderr = new StderrTail({ redactor, maxBytes });
  const lines: string[] = [];
  stderr.onLine((line) => lines.push(line));
  return { stderr, lines, write: (text: string) => stderr.write(Buffer.from(text)) };
}

describe('StderrTail', () => {
  it('keeps lines, the unfinished one included, and gives the last of them', () => {
    const { stderr, lines, write } = tail();
    write('one\ntwo\nthr');
    write('ee');
    expect(stderr.text()).toBe('one\ntwo\nthree');
    expect(stderr.text(2)).toBe('two\nthree');
    expect(stderr.text(0)).toBe('');
    expect(lines).toEqual(['one', 'two']);
    stderr.end();
    stderr.end();
    expect(lines).toEqual(['one', 'two', 'three']);
    expect(stderr.text()).toBe('one\ntwo\nthree');
  });

  it('tells when nothing more will come', async () => {
    const { stderr } = tail();
    stderr.end();
    await stderr.ended;
  });

  it('decodes characters that are split over chunks (B54)', () => {
    const { stderr } = tail();
    for (const byte of Buffer.from('你好 😀\n')) stderr.write(Buffer.of(byte));
    stderr.write(Buffer.of(0xff));
    expect(stderr.text()).toBe('你好 😀\n\ufffd');
  });

  it.each([
    ['colours', '\x1b[31;1mred\x1b[0m text', 'red text'],
    ['a window title', '\x1b]0;title\x07text', 'text'],
    ['a link', '\x1b]8;;https://x\x1b\\text\x1b]8;;\x1b\\', 'text'],
    ['a title that never ends', '\x1b]0;title\nnext', ']0;title\nnext'],
    ['other escapes', '\x1b(Btext\x1b7\x1bM', 'text'],
    ['bells and backspaces', 'a\x07b\x08c\x00', 'abc'],
    ['tabs stay', 'a\tb', 'a\tb'],
    ['line ends of every kind', 'a\r\nb\rc\nd', 'a\nb\nc\nd'],
    ['an escape at the end', 'a\x1b', 'a'],
  ])('makes plain text, however it is cut: %s', (_, raw, text) => {
    for (const pieces of [[raw], raw.split(/(?<=.)/s)]) {
      const { stderr, write } = tail();
      pieces.forEach(write);
      stderr.end();
      expect(stderr.text()).toBe(text);
    }
  });

  it('is bounded in bytes, with and without line ends (B55)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 300 }),
        fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '\r', 'é', '你', '😀'), maxLength: 200 })),
        fc.integer({ min: 0, max: 5 }),
        (maxBytes, chunks, lastLines) => {
          const { stderr, write } = tail({ maxBytes });
          chunks.forEach(write);
          for (const text of [stderr.text(), stderr.text(lastLines)]) {
            expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBytes);
            expect(text).not.toContain('\ufffd');
          }
        },
      ),
    );
  });

  it('does not keep what it drops', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const stderr = new StderrTail({ redactor: noRedaction, maxBytes: 64 * 1024 });
    const chunk = Buffer.from(`${'x'.repeat(127)}\n`.repeat(512));
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 512; count += 1) stderr.write(chunk);
    collectGarbage();
    const kept = process.memoryUsage().heapUsed - before;
    expect(stderr.text().length).toBeGreaterThan(60_000);
    expect(kept).toBeLessThan(512 * chunk.length * 0.1);
  });

  it('loses nothing that fits', () => {
    const { stderr, write } = tail({ maxBytes: 100 });
    for (let line = 0; line < 1_000; line += 1) write(`line ${line}\n`);
    expect(stderr.text().split('\n').at(-1)).toBe('line 999');
    expect(Buffer.byteLength(stderr.text())).toBeGreaterThan(100 - 'line 999\n'.length);
  });

  it('gives a very long line in pieces, not between the halves of a character', () => {
    const { stderr, lines, write } = tail({ maxBytes: 64 * 1024 });
    write(`x${'😀'.repeat(10_000)}`);
    expect(lines.length).toBeGreaterThan(1);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(8 * 1024);
    stderr.end();
    expect(lines.join('')).toBe(`x${'😀'.repeat(10_000)}`);
    for (const line of lines) expect(Buffer.from(line).toString()).toBe(line);
  });

  it('hides secrets across chunks, colours and the limits of lines (B64)', () => {
    const secret = 'q8Zr41-secret-value';
    const redactor = createRedactor([{ value: secret, origin: 'explicit' }]);
    fc.assert(
      fc.property(
        fc.string({ maxLength: 40 }),
        fc.nat(60),
        fc.integer({ min: 10, max: 200 }),
        fc.boolean(),
        (around, at, maxBytes, coloured) => {
          const { stderr, lines, write } = tail({ maxBytes, redactor });
          const shown = coloured ? `${secret.slice(0, 6)}\x1b[0m${secret.slice(6)}` : secret;
          const text = `${around}${shown}${around}`;
          write(text.slice(0, at));
          const early = stderr.text();
          write(text.slice(at));
          stderr.end();
          for (const visible of [early, stderr.text(), lines.join('')]) {
            expect(visible).not.toContain(secret);
            expect(visible).not.toContain(secret.slice(0, 8));
            expect(visible).not.toContain(secret.slice(-8));
          }
        },
      ),
    );
  });

  it('reads on when a listener throws, and stops calling one that left', () => {
    const { stderr, lines, write } = tail();
    const gone: string[] = [];
    const leave = stderr.onLine((line) => {
      gone.push(line);
      leave();
    });
    stderr.onLine(() => {
      throw new Error('broken');
    });
    write('one\ntwo\n');
    leave();
    expect(lines).toEqual(['one', 'two']);
    expect(gone).toEqual(['one']);
    expect(stderr.text(1)).toBe('two');
  });
});
