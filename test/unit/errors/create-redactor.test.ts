import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/errors/create-redactor.ts';
import type { Redactor, Secret } from '../../../src/errors/redactor.ts';

const explicit = (value: string, name?: string): Secret => ({ value, name, origin: 'explicit' });
const byName = (value: string, name: string): Secret => ({ value, name, origin: 'by-name' });

function redactInPieces(redactor: Redactor, pieces: readonly string[]): string {
  const stream = redactor.stream();
  return pieces.map((piece) => stream.push(piece)).join('') + stream.flush();
}

function cut(text: string, positions: readonly number[]): string[] {
  const borders = [0, ...positions.map((position) => position % (text.length + 1)), text.length];
  borders.sort((a, b) => a - b);
  return borders.slice(1).map((border, index) => text.slice(borders[index], border));
}

describe('createRedactor: secrets that it was given (B64)', () => {
  // Its base64 differs from its base64url.
  const awkward = 'Zq7>>>???"\\/é+ k=\'9#x';
  const unicode = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const inForm = new URLSearchParams([['q', awkward]]).toString();
  const inShell = `'${awkward.replaceAll("'", "'\\''")}'`;
  it.each([
    ['as it is', awkward],
    ['JSON-escaped', JSON.stringify({ env: { NAME_OF_IT: awkward } })],
    ['JSON in JSON', JSON.stringify({ line: JSON.stringify([awkward]) })],
    ['URL-encoded', `https://example.test/?q=${encodeURIComponent(awkward)}`],
    ['URL-encoded in lower case', encodeURIComponent(awkward).replace(/%../g, (code) => code.toLowerCase())],
    ['JSON in JSON in JSON', JSON.stringify(JSON.stringify(JSON.stringify(awkward)))],
    ['JSON with escaped slashes', JSON.stringify(awkward).replaceAll('/', '\\/')],
    ['JSON in ASCII, without what HTML knows', JSON.stringify(awkward).replace(/[^ -~]|[<>&]/g, unicode)],
    ['URL-encoded, but for slashes', encodeURIComponent(awkward).replaceAll('%2F', '/')],
    ['URL-encoded where it must be', encodeURI(awkward)],
    ['in a form', inForm],
    ['quoted for a shell', inShell],
    ['inspected', inspect({ awkward })],
    ['base64', Buffer.from(awkward).toString('base64')],
    ['base64 in JSON', JSON.stringify(Buffer.from(awkward).toString('base64')).replaceAll('/', '\\/')],
    ['base64 in a form', encodeURIComponent(Buffer.from(awkward).toString('base64'))],
    ['base64url', Buffer.from(awkward).toString('base64url')],
  ])('%s', (_, text) => {
    const shown = createRedactor([explicit(awkward)]).redact(`before ${text} after`);
    expect(shown).toContain('[redacted]');
    expect(shown).toMatch(/^before .* after$/);
    for (const part of ['Zq7', 'WnE3', '9#x', '9%23x', 'OSN4']) expect(shown).not.toContain(part);
  });

  it.each([0, 1, 2, 3, 4, 5])('base64 with %i bytes before it and something behind', (before) => {
    const value = 'q8Zr41-some-key';
    const encoded = Buffer.from(`${'u'.repeat(before)}${value}:more`).toString('base64');
    const shown = createRedactor([explicit(value)]).redact(encoded);
    const left = shown.split('[redacted]').map((text) => Buffer.from(text, 'base64').toString('latin1'));
    expect(left).toHaveLength(2);
    // A character of base64 that holds bits of two bytes may stay.
    expect(shown.replace('[redacted]', '').length).toBeLessThanOrEqual(encoded.length - 18);
    for (const part of [value.slice(0, 3), value.slice(-3)]) expect(left.join()).not.toContain(part);
  });

  it('is quick with a secret of backslashes in a text of backslashes', () => {
    const redactor = createRedactor([explicit(`${'\\'.repeat(24)}x`)]);
    const text = '\\'.repeat(5_000);
    expect(redactor.redact(`${text} `)).toBe(`${text} `);
    expect(redactInPieces(redactor, [text, ' '])).toBe(`${text} `);
  });

  it('hides each line of a key file, also where only some of it is shown', () => {
    const lines = [
      '-----BEGIN KEY-----',
      'MIIEvQIBADANBgkqhkiG9w0B',
      'AQEFAASCBKcwggSjAgEAAoIB',
      '-----END KEY-----',
    ];
    const redactor = createRedactor([explicit(`${lines.join('\n')}\n`)]);
    expect(redactor.redact(`  ${lines[2]}\r\n  ${lines[1]}\r\n`)).toBe('  [redacted]\r\n  [redacted]\r\n');
    expect(redactor.redact(lines.join('\n'))).toBe('[redacted]');
    expect(redactor.redact(JSON.stringify(lines.join('\n')))).toBe('"[redacted]"');
  });

  it('hides the token of a header value also without its scheme', () => {
    const redactor = createRedactor([explicit('Bearer q8Zr41', 'Authorization')]);
    expect(redactor.redact('got q8Zr41 from config')).toBe('got [redacted] from config');
  });

  it('prefers the longer of two secrets', () => {
    const redactor = createRedactor([explicit('abc123'), explicit('abc123-and-more')]);
    expect(redactor.redact('abc123-and-more abc123')).toBe('[redacted] [redacted]');
    expect(redactInPieces(redactor, ['abc123', '-and-', 'more abc123'])).toBe('[redacted] [redacted]');
  });

  it('is not cut short by a pattern that ends in the middle of a secret', () => {
    expect(createRedactor([explicit('pa,ss wordXY;9')]).redact('password=pa,ss wordXY;9 .')).toBe(
      'password=[redacted] .',
    );
  });

  it.each([
    ['MY_PIN=1234', 'MY_PIN=[redacted]'],
    ['"MY_PIN": "1234",', '"MY_PIN": "[redacted]",'],
    ['{\\"MY_PIN\\":\\"1234\\"}', '{\\"MY_PIN\\":\\"[redacted]\\"}'],
    ['MY_PIN: 1234', 'MY_PIN: [redacted]'],
    ['{"name":"MY_PIN","value":"1234"}', '{"name":"MY_PIN","value":"[redacted]"}'],
    [
      '{\\"name\\": \\"MY_PIN\\", \\"value\\": \\"1234\\"}',
      '{\\"name\\": \\"MY_PIN\\", \\"value\\": \\"[redacted]\\"}',
    ],
    ['{"name":"MY_PIN","value":"12345"}', '{"name":"MY_PIN","value":"12345"}'],
    ['there are 1234 files', 'there are 1234 files'],
    ['MY_PIN=12345', 'MY_PIN=12345'],
    ['OTHER_MY_PIN=1234', 'OTHER_MY_PIN=1234'],
  ])('hides a short value only after its name: %s', (text, shown) => {
    const redactor = createRedactor([explicit('1234', 'MY_PIN')]);
    expect(redactor.redact(text)).toBe(shown);
    expect(redactInPieces(redactor, text.split(/(?<=.)/s))).toBe(shown);
  });

  it('hides a short value that has to be escaped', () => {
    const redactor = createRedactor([explicit('a"\\b', 'PIN')]);
    for (const text of [
      JSON.stringify({ PIN: 'a"\\b' }),
      JSON.stringify([JSON.stringify({ PIN: 'a"\\b' })]),
    ]) {
      expect(redactor.redact(text)).toContain('PIN');
      expect(redactor.redact(text)).toMatch(/: ?\\?"\[redacted\]\\?"/);
    }
  });

  it('hides a plain word that only its name marks as a secret after that name, and nowhere else', () => {
    const redactor = createRedactor([byName('development', 'APP_SECRET')]);
    expect(redactor.redact('APP_SECRET=development in development')).toBe(
      'APP_SECRET=[redacted] in development',
    );
  });

  it('hides a distinctive value that only its name marks as a secret everywhere', () => {
    expect(createRedactor([byName('tr0ub4dor', 'DB_PASSWORD')]).redact('login tr0ub4dor')).toBe(
      'login [redacted]',
    );
  });

  it('ignores empty and blank values', () => {
    const redactor = createRedactor([explicit(''), explicit(' \n ', 'A'), byName('', 'B_TOKEN')]);
    expect(redactor.redact('B_TOKEN= A= x')).toBe('B_TOKEN= A= x');
  });
});

describe('createRedactor: what looks like a secret (B64)', () => {
  const redactor = createRedactor([]);
  it.each([
    ['Authorization: Bearer abcdefgh', 'Authorization: Bearer [redacted]'],
    ['authorization: token 0123456789', 'authorization: token [redacted]'],
    ["-H 'Authorization: Basic dXNlcjpwYXNz'", "-H 'Authorization: Basic [redacted]'"],
    ['{"x-api-key":"k3y-value-9"}', '{"x-api-key":"[redacted]"}'],
    ['{\\"x-api-key\\":\\"k3y-value-9\\"}', '{\\"x-api-key\\":\\"[redacted]\\"}'],
    ['ANTHROPIC_API_KEY=k3y-value-9 next', 'ANTHROPIC_API_KEY=[redacted] next'],
    ['export GITHUB_TOKEN="t0ken-value"', 'export GITHUB_TOKEN="[redacted]"'],
    ['clone https://user:word@host/x.git', 'clone https://user:[redacted]@host/x.git'],
    ['GET /v1?key=AbC123-xyz9&alt=sse', 'GET /v1?key=[redacted]&alt=sse'],
    ['using sk-ant-api03-AbCd_1234567 now', 'using [redacted] now'],
    ['ghp_abcdefghij0123456789', '[redacted]'],
    ['Set-Cookie: session=abc; Path=/', 'Set-Cookie: [redacted]'],
    [`jwt eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeK ok`, 'jwt [redacted] ok'],
  ])('%s', (text, shown) => {
    expect(redactor.redact(text)).toBe(shown);
    expect(redactor.redact(shown)).toBe(shown);
    expect(redactInPieces(redactor, text.split(/(?<=.)/s))).toBe(shown);
  });

  it.each([
    'No conversation found with session ID: 0198a7c2-5b1e-7c4f-9d2a-3f6e8b1c2d4e',
    'password: incorrect',
    'authorization failed: missing credentials',
    'Basic authentication is off; bearer tokens required',
    'max_tokens: 1234567890',
    'see https://example.test:8080/path@2x.png',
    'risk-assessment-of-the-task-list-and-disk-usage',
    '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"sess_0123456789abcdef"}}',
  ])('leaves alone: %s', (text) => {
    expect(redactor.redact(text)).toBe(text);
  });
});

describe('createRedactor: properties', () => {
  const secretValue = fc
    .string({ unit: 'grapheme-ascii', minLength: 6, maxLength: 40 })
    .filter((value) => value.trim().length >= 6 && !'[redacted]'.includes(value.trim()));
  const positions = fc.array(fc.nat(), { maxLength: 12 });

  it('never shows a secret, however the text is cut', () => {
    fc.assert(
      fc.property(
        fc.array(secretValue, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.string({ maxLength: 12 }), fc.nat()), { minLength: 1, maxLength: 6 }),
        fc.nat(6),
        positions,
        (values, parts, spelling, cuts) => {
          const spell = (value: string) =>
            [
              value,
              JSON.stringify(value).slice(1, -1),
              encodeURIComponent(value),
              new URLSearchParams([['q', value]]).toString().slice(2),
              JSON.stringify(JSON.stringify(value)).slice(3, -3),
              Buffer.from(value).toString('base64'),
              value,
            ][spelling] ?? value;
          const text = parts
            .map(([between, index]) => between + spell(values[index % values.length]!))
            .join('');
          const redactor = createRedactor(values.map((value) => explicit(value)));
          for (const shown of [redactor.redact(text), redactInPieces(redactor, cut(text, cuts))]) {
            const visible = shown.replaceAll('[redacted]', '\0');
            for (const value of values) expect(visible).not.toContain(value.trim());
            for (const value of values) expect(visible).not.toContain(spell(value.trim()).replace(/=+$/, ''));
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('gives the same for a text in pieces as for the whole', () => {
    const fragments = [
      ...[
        'authorization',
        'Authorization: ',
        'Bearer ',
        'basic',
        'x-api-key',
        '"',
        '\\"',
        ':',
        '=',
        ' ',
        '\n',
      ],
      ...[
        '_TOKEN=',
        'secret',
        'password: ',
        '?key=',
        '://u',
        ':pw',
        '@h',
        'sk-',
        'sk',
        'ghp_',
        'eyJ',
        '.',
        ',',
      ],
      ...['abcdefghij0123456789', 'abc', 'PIN', '12', '34', 'topsec', 'topsecret-1', 'ret-1', 'é', '😀', ';'],
    ];
    const redactor = createRedactor([
      explicit('topsecret-1'),
      explicit('topsecret-1-long'),
      explicit('34', 'PIN'),
    ]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...fragments), { maxLength: 30 }), positions, (parts, cuts) => {
        const text = parts.join('');
        expect(redactInPieces(redactor, cut(text, cuts))).toBe(redactor.redact(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('holds back only what could begin a secret', () => {
    const stream = createRedactor([explicit('topsecret-1')]).stream();
    expect(stream.push('Paste the code: ')).toBe('Paste the code: ');
    expect(stream.push('to')).toBe('');
    expect(stream.push('day')).toBe('today');
  });

  it('hides a very long token in pieces as one', () => {
    const stream = createRedactor([]).stream();
    let shown = stream.push('x-api-key: ');
    for (let piece = 0; piece < 8; piece += 1) shown += stream.push('k3y-value-'.repeat(50));
    expect(shown + stream.push(' end') + stream.flush()).toBe('x-api-key: [redacted] end');
  });

  it('never holds back more than a bounded length', () => {
    const stream = createRedactor([]).stream();
    let shown = stream.push('x-api-key: ');
    for (let piece = 0; piece < 64; piece += 1) shown += stream.push('k3y-value-'.repeat(200));
    expect(shown).toContain('x-api-key: [redacted]');
  });
});
