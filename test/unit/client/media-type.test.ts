import { describe, expect, test } from 'vitest';
import { detectMediaType, kindOfMimeType } from '../../../src/client/media-type.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('detectMediaType', () => {
  test.each<[string, Uint8Array, string, string]>([
    ['x', latin1('\x89PNG\r\n\x1a\n\0\0'), 'image/png', 'image'],
    ['x.txt', latin1('\xff\xd8\xff\xe0\0\x10JFIF'), 'image/jpeg', 'image'],
    ['x', latin1('GIF87a\x01'), 'image/gif', 'image'],
    ['x', latin1('GIF89a\x01'), 'image/gif', 'image'],
    ['x', latin1('RIFF\x10\0\0\0WEBPVP8 '), 'image/webp', 'image'],
    ['x', latin1('RIFF\x10\0\0\0WAVEfmt '), 'audio/wav', 'audio'],
    ['x', latin1('RIFF\x10\0\0\0AVI LIST'), 'application/octet-stream', 'binary'],
    ['x', latin1('ID3\x03\0\0\0'), 'audio/mpeg', 'audio'],
    ['x', latin1('ID3\x04\0\0\0'), 'audio/mpeg', 'audio'],
    ['x', latin1('\xff\xfb\x90\x44'), 'audio/mpeg', 'audio'],
    ['x', latin1('OggS\0\x02'), 'audio/ogg', 'audio'],
    ['x', latin1('fLaC\0\0\0\x22'), 'audio/flac', 'audio'],
    ['x', latin1('\0\0\0\x20ftypM4A \0'), 'audio/mp4', 'audio'],
    ['x', latin1('\0\0\0\x20ftypisom\0'), 'application/octet-stream', 'binary'],
    ['x', latin1('%PDF-1.7\n'), 'application/pdf', 'binary'],
    ['x', latin1('PK\x03\x04'), 'application/zip', 'binary'],
    ['x', latin1('\x1f\x8b\x08'), 'application/gzip', 'binary'],
    ['x.md', Buffer.from('# Títle'), 'text/markdown', 'text'],
    ['README.MD', Buffer.from('# T'), 'text/markdown', 'text'],
    ['x.json', Buffer.from('{}'), 'application/json', 'text'],
    ['x.svg', Buffer.from('<svg/>'), 'image/svg+xml', 'text'],
    ['x.rs', Buffer.from('fn main() {}'), 'text/plain', 'text'],
    ['x', Buffer.alloc(0), 'text/plain', 'text'],
    ['x.png', Buffer.from('not a picture'), 'text/plain', 'text'],
    ['ID3.txt', Buffer.from('ID3 tags explained'), 'text/plain', 'text'],
    ['x.txt', Buffer.from('a\0b'), 'application/octet-stream', 'binary'],
    ['x.txt', latin1('caf\xe9 au lait'), 'application/octet-stream', 'binary'],
    ['utf-16.txt', latin1('\xff\xfea\0'), 'application/octet-stream', 'binary'],
    ['cut-off.txt', Buffer.from('漢字').subarray(0, 5), 'text/plain', 'text'],
  ])('%s of %j is %s, %s', (name, head, mimeType, kind) => {
    expect(detectMediaType(head, name)).toEqual({ mimeType, kind });
  });
});

test.each([
  ['image/png', 'image'],
  ['image/svg+xml', 'binary'],
  ['audio/wav', 'audio'],
  ['video/mp4', 'binary'],
  ['text/plain', 'binary'],
])('kindOfMimeType(%s) is %s', (mimeType, kind) => {
  expect(kindOfMimeType(mimeType)).toBe(kind);
});
