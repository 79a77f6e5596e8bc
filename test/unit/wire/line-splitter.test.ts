import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineSplitter } from '../../../src/wire/line-splitter.ts';

interface Split {
  readonly lines: string[];
  readonly tooLong: number;
}

function split(chunks: readonly (string | Uint8Array)[], maxLineBytes = 1_000_000): Split {
  const lines: string[] = [];
  let tooLong = 0;
  const splitter = new LineSplitter(
    maxLineBytes,
    (line) => lines.push(line),
    () => (tooLong += 1),
  );
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return { lines, tooLong };
}

/** Cuts bytes into pieces of this size. */
function pieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

const text = '{"a":1}\n中文 and 🎉 emoji\r\n\n\ufeff{"b":"é"}\nlast without an end';
const lines = text.split('\n');

describe('lines', () => {
  test('B54 are the same at every chunk size, wherever a character is split', () => {
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      expect(split(pieces(bytes, size)).lines, `chunks of ${size}`).toEqual(lines);
    }
  });

  test('B54 are the same wherever a chunk ends', () => {
    const bytes = Buffer.from(text);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(split([bytes.subarray(0, cut), bytes.subarray(cut)]).lines, `cut at ${cut}`).toEqual(lines);
    }
  });

  test('keep a carriage return, which JSON reads as white space', () => {
    expect(split(['{}\r\n{}\r', '\n']).lines).toEqual(['{}\r', '{}\r']);
  });

  test('that are empty are delivered, and an empty rest is not', () => {
    expect(split(['\n\na\n']).lines).toEqual(['', '', 'a']);
    expect(split(['', 'a', '', '\n', '']).lines).toEqual(['a']);
  });

  test('hold U+FFFD for invalid UTF-8, whatever the chunks', () => {
    const bytes = Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xe4, 0xb8, 0x0a, 0xf0, 0x9f]);
    for (let size = 1; size <= bytes.length; size += 1) {
      expect(split(pieces(bytes, size)).lines).toEqual(['a\ufffdb', '\ufffd', '\ufffd']);
    }
  });

  test('are the same for any text in any chunks', () => {
    const anyChunks = fc.tuple(
      fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\n', '\r\n', '🎉', '中')), {
        maxLength: 20,
      }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
    );
    fc.assert(
      fc.property(anyChunks, ([parts, sizes]) => {
        const bytes = Buffer.from(parts.join(''));
        const chunks: Buffer[] = [];
        for (let start = 0, index = 0; start < bytes.length; index += 1) {
          const size = sizes[index % sizes.length]!;
          chunks.push(bytes.subarray(start, start + size));
          start += size;
        }
        expect(split(chunks)).toEqual(split([bytes]));
      }),
    );
  });
});

describe('the limit', () => {
  const atEveryChunkSize = (bytes: Buffer, maxLineBytes: number, expected: Split) => {
    for (let size = 1; size <= bytes.length; size += 1) {
      expect(split(pieces(bytes, size), maxLineBytes), `chunks of ${size}`).toEqual(expected);
    }
  };

  test('B58 lets a line of exactly so many bytes pass, its end not counted', () => {
    atEveryChunkSize(Buffer.from('12345678\n12345678'), 8, {
      lines: ['12345678', '12345678'],
      tooLong: 0,
    });
  });

  test('B58 stops at one byte more, after the lines before it, and tells it once', () => {
    atEveryChunkSize(Buffer.from('1234\n123456789\n1\n2\n3\n'), 8, { lines: ['1234'], tooLong: 1 });
    atEveryChunkSize(Buffer.from('1234\n123456789'), 8, { lines: ['1234'], tooLong: 1 });
  });

  test('B58 counts the bytes as they came, not what they were decoded to', () => {
    // Each of these bytes becomes a character of three.
    const invalid = Buffer.concat([Buffer.alloc(8, 0xff), Buffer.from('\n')]);
    atEveryChunkSize(invalid, 8, { lines: ['\ufffd'.repeat(8)], tooLong: 0 });
    // Two characters of six bytes.
    atEveryChunkSize(Buffer.from('中文\n'), 6, { lines: ['中文'], tooLong: 0 });
    atEveryChunkSize(Buffer.from('中文\n'), 5, { lines: [], tooLong: 1 });
  });

  test('B58 does not wait for the end of a line that never ends', () => {
    let tooLong = 0;
    const splitter = new LineSplitter(
      1_000,
      () => undefined,
      () => (tooLong += 1),
    );
    for (let sent = 0; sent <= 1_000; sent += 1) {
      expect(tooLong).toBe(0);
      splitter.push(Buffer.from('x'));
    }
    expect(tooLong).toBe(1);
  });
});

describe('stopping', () => {
  test('within a line handler delivers nothing more of the same chunk', () => {
    const seen: string[] = [];
    const splitter: LineSplitter = new LineSplitter(
      100,
      (line) => {
        seen.push(line);
        splitter.stop();
      },
      () => seen.push('too long'),
    );
    splitter.push(Buffer.from(`a\nb\n${'c'.repeat(200)}`));
    splitter.push(Buffer.from('d\n'));
    splitter.end();
    expect(seen).toEqual(['a']);
  });
});

test('B58 a line of 30 MB that comes in tiny chunks costs linear time', () => {
  const cost = (megabytes: number) => {
    const chunk = Buffer.alloc(16, 'x');
    let length = 0;
    const splitter = new LineSplitter(
      64 * 1024 * 1024,
      (line) => (length = line.length),
      () => undefined,
    );
    const start = process.cpuUsage();
    for (let sent = 0; sent < megabytes * 1024 * 1024; sent += chunk.length) splitter.push(chunk);
    splitter.push(Buffer.from('\n'));
    const { user, system } = process.cpuUsage(start);
    expect(length).toBe(megabytes * 1024 * 1024);
    return user + system;
  };
  cost(1);
  // Six times the length: a quadratic splitter needs 36 times as long.
  expect(cost(30) / cost(5)).toBeLessThan(18);
});
