import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canonicalPath, isInside } from '../../../src/client/canonical-path.ts';
import { temporaryDirectory } from './temporary-directory.ts';

describe('isInside', () => {
  test.each([
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/a', '/ab', false],
    ['/a/b', '/a', false],
    ['/', '/', true],
    ['/', '/a', true],
  ])('%s holds %s: %s', (root, path, expected) => {
    expect(isInside(root, path)).toBe(expected);
  });
});

describe('canonicalPath', () => {
  test('resolves links on the way, at the end, in a row, and to nothing', async () => {
    const base = temporaryDirectory();
    mkdirSync(join(base, 'real/deep'), { recursive: true });
    writeFileSync(join(base, 'real/file'), '');
    symlinkSync('real', join(base, 'link'));
    symlinkSync('link/deep', join(base, 'second'));
    symlinkSync(join(base, 'link/file'), join(base, 'absolute'));
    symlinkSync('nowhere/at/all', join(base, 'dangling'));
    symlinkSync('/nowhere-outside', join(base, 'escaping'));
    symlinkSync('dangling', join(base, 'twice'));

    const results = await Promise.all(
      [
        ['link', 'real'],
        ['link/file', 'real/file'],
        ['second', 'real/deep'],
        ['second/new/file', 'real/deep/new/file'],
        ['absolute', 'real/file'],
        ['missing/x', 'missing/x'],
        ['missing/../real', 'real'],
        ['second/../file', 'file'],
        ['dangling', 'nowhere/at/all'],
        ['dangling/x', 'nowhere/at/all/x'],
        ['twice', 'nowhere/at/all'],
        ['escaping/x', '/nowhere-outside/x'],
        ['real/', 'real'],
      ].map(async ([path = '', expected = '']) => [
        path,
        await canonicalPath(`${base}/${path}`),
        expected.startsWith('/') ? expected : join(base, expected),
      ]),
    );
    for (const [path, actual, expected] of results)
      expect({ path, actual }).toEqual({ path, actual: expected });
  });

  test('a loop of links, and a file in the place of a directory, are errors', async () => {
    const base = temporaryDirectory();
    symlinkSync('b', join(base, 'a'));
    symlinkSync('a', join(base, 'b'));
    writeFileSync(join(base, 'file'), '');
    await expect(canonicalPath(join(base, 'a'))).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(canonicalPath(join(base, 'a/new'))).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(canonicalPath(join(base, 'file/x'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  test('a link to nothing that leads back to itself ends', async () => {
    const base = temporaryDirectory();
    symlinkSync('missing/../self', join(base, 'self'));
    await expect(canonicalPath(join(base, 'self'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
