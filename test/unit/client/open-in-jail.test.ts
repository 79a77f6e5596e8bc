import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openParent } from '../../../src/client/open-in-jail.ts';
import { locateInJail, type JailedPath } from '../../../src/client/path-jail.ts';
import { readFileInJail } from '../../../src/client/read-file-in-jail.ts';
import { writeFileInJail } from '../../../src/client/write-file-in-jail.ts';
import { temporaryDirectory } from './temporary-directory.ts';

let base: string;
let root: string;
let place: JailedPath;
const { signal } = new AbortController();

beforeEach(async () => {
  base = temporaryDirectory();
  root = join(base, 'project');
  mkdirSync(join(root, 'a/b'), { recursive: true });
  mkdirSync(join(base, 'outside/b'), { recursive: true });
  writeFileSync(join(root, 'a/b/file'), 'inside');
  writeFileSync(join(base, 'outside/b/file'), 'outside');
  place = await locateInJail([root], join(root, 'a/b/file'));
});

/** What an agent may do between the check of a path and its use. */
const swaps = {
  'a directory on the way': () => {
    renameSync(join(root, 'a'), join(base, 'moved'));
    symlinkSync('../outside', join(root, 'a'));
  },
  'the directory of the file': () => {
    renameSync(join(root, 'a/b'), join(base, 'moved'));
    symlinkSync('../../outside/b', join(root, 'a/b'));
  },
};

describe.each(Object.entries(swaps))('a link is put in the place of %s after the check', (_what, swap) => {
  beforeEach(() => swap());

  test.each([true, false])('with descriptor paths: %s', async (anchored) => {
    for (const create of [true, false]) {
      await expect(openParent(place, { create, anchored })).rejects.toMatchObject({
        code: expect.stringMatching(/ELOOP|ENOTDIR/) as string,
      });
    }
  });

  test('nothing outside is read, written or made', async () => {
    await expect(readFileInJail(place, 100)).rejects.toThrow();
    await expect(writeFileInJail(place, 'x', signal)).rejects.toThrow();
    const deeper = { ...place, directories: [...place.directories, 'new'] };
    await expect(writeFileInJail(deeper, 'x', signal)).rejects.toThrow();
    expect(readFileSync(join(base, 'outside/b/file'), 'utf8')).toBe('outside');
    expect(readdirSync(join(base, 'outside/b'))).toEqual(['file']);
  });
});

test('a link in the place of the file itself is not followed', async () => {
  rmSync(join(root, 'a/b/file'));
  symlinkSync('../../../outside/b/file', join(root, 'a/b/file'));
  await expect(readFileInJail(place, 100)).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(writeFileInJail(place, 'x', signal)).rejects.toMatchObject({ code: 'ELOOP' });
  expect(readFileSync(join(base, 'outside/b/file'), 'utf8')).toBe('outside');
});

test('an open directory stays the same one when a link takes its name', async () => {
  const directory = await openParent(place, { create: false });
  try {
    swaps['a directory on the way']();
    expect(await readFile(directory.at('file'), 'utf8')).toBe('inside');
  } finally {
    await directory.close();
  }
});

test('without descriptor paths, directories are found and made as well', async () => {
  const missing = { ...place, directories: ['a', 'new', 'er'] };
  await expect(openParent(missing, { create: false, anchored: false })).rejects.toMatchObject({
    code: 'ENOENT',
  });
  const directory = await openParent(missing, { create: true, anchored: false });
  expect(directory.at('file')).toBe(join(root, 'a/new/er/file'));
  expect(readdirSync(join(root, 'a/new'))).toEqual(['er']);
});

test('links that come and go while files are read and written never lead out', async () => {
  const target = join(root, 'a');
  const spare = join(base, 'spare');
  const stop = new AbortController();
  /** A write may have made the directory anew by now. */
  const putInPlace = (put: () => void) => {
    for (let done = false; !done;) {
      rmSync(target, { recursive: true, force: true });
      try {
        put();
        done = true;
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/EEXIST|ENOTEMPTY/) as string });
      }
    }
  };
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  const swapper = (async () => {
    while (!stop.signal.aborted) {
      renameSync(target, spare);
      putInPlace(() => symlinkSync('../outside', target));
      await nextTurn();
      putInPlace(() => renameSync(spare, target));
      await nextTurn();
    }
  })();
  const outcomes = { done: 0, refused: 0 };
  for (let round = 0; round < 300; round += 1) {
    const read = readFileInJail(place, 100).then((bytes) => expect(bytes?.toString()).toMatch(/^inside/));
    const written = writeFileInJail(place, `inside ${round}`, signal);
    for (const { status } of await Promise.allSettled([read, written])) {
      outcomes[status === 'fulfilled' ? 'done' : 'refused'] += 1;
    }
  }
  stop.abort();
  await swapper;
  expect(readFileSync(join(base, 'outside/b/file'), 'utf8')).toBe('outside');
  expect(readdirSync(join(base, 'outside/b'))).toEqual(['file']);
  // Both must have happened, or the links were never in the way.
  expect(outcomes.done).toBeGreaterThan(0);
  expect(outcomes.refused).toBeGreaterThan(0);
});

test('leaves no descriptor open', async () => {
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  for (let round = 0; round < 5; round += 1) {
    await readFileInJail(place, 100);
    await expect(readFileInJail({ ...place, name: 'nothing' }, 100)).rejects.toThrow();
    await expect(readFileInJail({ ...place, directories: ['a', 'x'] }, 100)).rejects.toThrow();
    await writeFileInJail(place, 'x', signal);
    await expect(writeFileInJail(place, 'x', AbortSignal.abort())).rejects.toThrow();
  }
  expect(open()).toBe(before);
});
