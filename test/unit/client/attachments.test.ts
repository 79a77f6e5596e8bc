import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { attachmentBlocks } from '../../../src/client/attachments.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const folder = temporaryFolder();
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function write(name: string, content: string | Uint8Array): string {
  const path = folder.file(name);
  writeFileSync(path, content);
  return path;
}

const types = async (...[attachments, capabilities]: Parameters<typeof attachmentBlocks>) =>
  (await attachmentBlocks(attachments, capabilities)).map(({ type }) => type);

describe('attachments', () => {
  it('become what the agent takes, and links otherwise', async () => {
    const files = [
      { path: write('a.png', png) },
      { path: write('b.md', '# B') },
      { path: write('c.bin', new Uint8Array([0, 1])) },
    ];
    expect(await types(files, { image: true, embeddedContext: true })).toEqual([
      'image',
      'resource',
      'resource_link',
    ]);
    expect(await types(files, { image: true })).toEqual(['image', 'resource_link', 'resource_link']);
    expect(await types(files, undefined)).toEqual(['resource_link', 'resource_link', 'resource_link']);
  });

  it('keep their order', async () => {
    const attachments = [{ data: new Uint8Array([104, 105]), name: 'a.txt' }, { path: write('b.txt', 'b') }];
    const blocks = await attachmentBlocks(attachments, { embeddedContext: true });
    expect(blocks).toMatchObject([{ resource: { text: 'hi' } }, { resource: { text: 'b' } }]);
  });

  it('in memory are what they are: whether the agent takes them is seen when the prompt is sent', async () => {
    expect(await types([{ data: png, name: 'a.png' }], undefined)).toEqual(['image']);
  });

  it('that are not there, or too large, are refused', async () => {
    await expect(attachmentBlocks([{ path: folder.file('none') }], {})).rejects.toMatchObject({
      code: 'invalid-config',
    });
    const path = write('a.txt', 'long');
    await expect(attachmentBlocks([{ path, maxBytes: 2 }], {})).rejects.toMatchObject({
      code: 'unsupported-content',
    });
  });
});
