import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { bufferBlock, fileBlock, resourceLink, textBlock } from '../../../src/client/content-blocks.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0picture', 'latin1');
const wav = Buffer.from('RIFF\x10\0\0\0WAVEfmt ', 'latin1');
const binary = Buffer.from([0, 1, 2, 0xff]);

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

function file(name: string, content: string | Uint8Array): { path: string; uri: string } {
  const path = join(directory, name);
  writeFileSync(path, content);
  return { path, uri: pathToFileURL(path).href };
}

test('textBlock', () => {
  expect(textBlock('hi')).toEqual({ type: 'text', text: 'hi' });
});

describe('resourceLink', () => {
  test.each<[string, string, string]>([
    ['/a/b c.txt', 'file:///a/b%20c.txt', 'b c.txt'],
    ['/a/#1?.md', 'file:///a/%231%3F.md', '#1?.md'],
    ['https://example.com/docs/intro?x=1#top', 'https://example.com/docs/intro?x=1#top', 'intro'],
    ['https://example.com/', 'https://example.com/', 'example.com'],
    ['file:///a/b%20c.txt', 'file:///a/b%20c.txt', 'b c.txt'],
    ['file://host/share/a%20b.txt', 'file://host/share/a%20b.txt', 'a b.txt'],
    ['file:///a/%FF.txt', 'file:///a/%FF.txt', '%FF.txt'],
    ['zed:thread/1', 'zed:thread/1', '1'],
    ['mailto:someone', 'mailto:someone', 'mailto:someone'],
  ])('%s', (pathOrUri, uri, name) => {
    expect(resourceLink(pathOrUri)).toEqual({ type: 'resource_link', uri, name });
  });

  test('takes relative paths from the directory of this process, and what else is known', () => {
    const details = { name: 'n', title: 't', description: 'd', mimeType: 'text/plain', size: 3 };
    const uri = pathToFileURL(join(process.cwd(), 'a.txt')).href;
    expect(resourceLink('./a.txt', details)).toEqual({ type: 'resource_link', uri, ...details });
  });

  test('passes on the fields of a link that says `null` for what it does not say', () => {
    const details = { name: 'n', title: null, description: null, mimeType: null, size: null };
    expect(resourceLink('/a.txt', details)).toEqual({
      type: 'resource_link',
      uri: 'file:///a.txt',
      ...details,
    });
  });
});

describe('fileBlock', () => {
  test('auto: pictures and sound inline, text embedded, the rest linked', async () => {
    const picture = file('p', png);
    expect(await fileBlock(picture.path)).toEqual({
      type: 'image',
      data: png.toString('base64'),
      mimeType: 'image/png',
      uri: picture.uri,
    });
    expect(await fileBlock(file('s.wav', wav).path)).toEqual({
      type: 'audio',
      data: wav.toString('base64'),
      mimeType: 'audio/wav',
    });
    const text = file('notes é.md', '# 漢字');
    expect(await fileBlock(text.path)).toEqual({
      type: 'resource',
      resource: { uri: text.uri, mimeType: 'text/markdown', text: '# 漢字' },
    });
    const other = file('data.bin', binary);
    expect(await fileBlock(other.path)).toEqual({
      type: 'resource_link',
      uri: other.uri,
      name: 'data.bin',
      mimeType: 'application/octet-stream',
      size: 4,
    });
  });

  test('auto: a file that only starts like text is linked', async () => {
    const { path } = file('log', Buffer.concat([Buffer.alloc(5000, 'x'), binary]));
    expect(await fileBlock(path)).toMatchObject({ type: 'resource_link', size: 5004 });
  });

  test('embed and link do that to all files', async () => {
    const picture = file('p.png', png);
    const data = file('d', binary);
    expect(await fileBlock(picture.path, { as: 'link' })).toMatchObject({
      type: 'resource_link',
      mimeType: 'image/png',
    });
    expect(await fileBlock(picture.path, { as: 'embed' })).toEqual({
      type: 'resource',
      resource: { uri: picture.uri, mimeType: 'image/png', blob: png.toString('base64') },
    });
    expect(await fileBlock(data.path, { as: 'embed' })).toMatchObject({
      resource: { blob: binary.toString('base64') },
    });
    expect(await fileBlock(file('e', '').path, { as: 'embed' })).toMatchObject({ resource: { text: '' } });
  });

  test('a file over the limit is an error that names it and both sizes; a link needs no limit', async () => {
    const { path } = file('big.txt', 'x'.repeat(11));
    await expect(fileBlock(path, { maxBytes: 10 })).rejects.toMatchObject({
      code: 'unsupported-content',
      phase: 'prompt',
      message: `${path} has 11 bytes, and 10 are allowed in a prompt`,
    });
    expect(await fileBlock(path, { maxBytes: 11 })).toMatchObject({ type: 'resource' });
    expect(await fileBlock(path, { maxBytes: 10, as: 'link' })).toMatchObject({ size: 11 });
    const sparse = file('disk', '\0').path;
    truncateSync(sparse, 2 ** 40);
    expect(await fileBlock(sparse)).toMatchObject({ type: 'resource_link', size: 2 ** 40 });
    await expect(fileBlock(sparse, { as: 'embed' })).rejects.toMatchObject({ code: 'unsupported-content' });
  });

  test('what is no regular file is an error at once', async () => {
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    symlinkSync('nothing', join(directory, 'dangling'));
    for (const path of [
      directory,
      pipe,
      join(directory, 'missing'),
      join(directory, 'dangling'),
      '/dev/zero',
    ]) {
      const failure = expect(fileBlock(path)).rejects;
      await failure.toMatchObject({
        code: 'invalid-config',
        phase: 'prompt',
        message: expect.stringContaining(path) as string,
      });
    }
  });

  test('follows links', async () => {
    file('a.txt', 'x');
    symlinkSync('a.txt', join(directory, 'link.txt'));
    expect(await fileBlock(join(directory, 'link.txt'))).toMatchObject({ resource: { text: 'x' } });
  });
});

describe('bufferBlock', () => {
  test.each<[Uint8Array, { name: string; mimeType?: string }, object]>([
    [
      png,
      { name: 'p' },
      { type: 'image', mimeType: 'image/png', data: png.toString('base64'), uri: 'attachment:///p' },
    ],
    [wav, { name: 's' }, { type: 'audio', mimeType: 'audio/wav', data: wav.toString('base64') }],
    [
      Buffer.from('é'),
      { name: 'a b.md' },
      { type: 'resource', resource: { uri: 'attachment:///a%20b.md', mimeType: 'text/markdown', text: 'é' } },
    ],
    [
      binary,
      { name: 'd' },
      {
        type: 'resource',
        resource: {
          uri: 'attachment:///d',
          mimeType: 'application/octet-stream',
          blob: binary.toString('base64'),
        },
      },
    ],
    [
      binary,
      { name: 'p', mimeType: 'image/avif' },
      { type: 'image', mimeType: 'image/avif', data: binary.toString('base64'), uri: 'attachment:///p' },
    ],
    [
      Buffer.from('<svg/>'),
      { name: 'v', mimeType: 'image/svg+xml' },
      { type: 'resource', resource: { uri: 'attachment:///v', mimeType: 'image/svg+xml', text: '<svg/>' } },
    ],
    [
      Buffer.from('{}'),
      { name: 'v', mimeType: 'application/json' },
      { type: 'resource', resource: { uri: 'attachment:///v', mimeType: 'application/json', text: '{}' } },
    ],
  ])('%#', (bytes, options, expected) => {
    expect(bufferBlock(bytes, options)).toEqual(expected);
  });

  test('encodes the bytes of a view, not of the whole buffer behind it', () => {
    const whole = Uint8Array.from([9, 9, 0, 1, 9]);
    expect(bufferBlock(whole.subarray(2, 4), { name: 'd' })).toMatchObject({ resource: { blob: 'AAE=' } });
  });

  test('refuses data over the limit and names both sizes', () => {
    expect(() => bufferBlock(Buffer.alloc(11), { name: 'upload.bin', maxBytes: 10 })).toThrow(
      expect.objectContaining({
        code: 'unsupported-content',
        phase: 'prompt',
        message: 'upload.bin has 11 bytes, and 10 are allowed in a prompt',
      }) as Error,
    );
  });
});
