import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { findExecutable } from '../../../src/config/find-executable.ts';

describe('on a real PATH', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'acp-launcher-path-'));
    for (const folder of ['a', 'b', 'a/folder']) await mkdir(join(root, folder));
    await writeFile(join(root, 'a/plain'), '');
    for (const file of ['b/plain', 'b/folder', 'a/both', 'b/both']) {
      await writeFile(join(root, file), '#!/bin/sh\n');
      await chmod(join(root, file), 0o755);
    }
    await symlink(join(root, 'nowhere'), join(root, 'a/dangling'));
  });
  afterAll(() => rm(root, { recursive: true }));

  test.each<[string, string | undefined]>([
    ['both', 'a/both'],
    ['plain', 'b/plain'],
    ['folder', 'b/folder'],
    ['dangling', undefined],
    ['absent', undefined],
  ])('%s is %s: what has no run bit, is a folder or leads nowhere is passed over', (name, expected) => {
    const env = { PATH: `${join(root, 'a')}:${join(root, 'missing')}:${join(root, 'b')}` };
    expect(findExecutable(name, env, 'linux')).toBe(
      expected === undefined ? undefined : join(root, expected),
    );
  });

  it('takes an absolute name as it is', () => {
    expect(findExecutable(join(root, 'a/both'), {}, 'linux')).toBe(join(root, 'a/both'));
    expect(findExecutable(join(root, 'a/plain'), {}, 'linux')).toBeUndefined();
  });
});

const only =
  (...paths: string[]) =>
  (path: string) =>
    paths.includes(path);

it('never looks into relative or empty entries of the PATH', () => {
  const looked: string[] = [];
  const look = (path: string) => looked.push(path) < 0;
  findExecutable('x', { PATH: ':.:bin:/abs' }, 'linux', look);
  expect(looked).toEqual(['/abs/x']);
});

it('finds nothing without a PATH', () => {
  expect(findExecutable('x', {}, 'linux', () => true)).toBeUndefined();
});

describe('X13: Windows', () => {
  const env = { Path: 'C:\\a;D:\\b', PathExt: '.EXE;.CMD;.AGENT' };
  test.each<[string, string[], string | undefined]>([
    ['npx', ['D:\\b\\npx.cmd'], 'D:\\b\\npx.cmd'],
    ['npx', ['C:\\a\\npx', 'D:\\b\\npx.cmd'], 'D:\\b\\npx.cmd'],
    ['npx.cmd', ['C:\\a\\npx.cmd'], 'C:\\a\\npx.cmd'],
    ['node', ['C:\\a\\node.exe', 'C:\\a\\node.cmd'], 'C:\\a\\node.exe'],
    ['tool', ['C:\\a\\tool.agent'], 'C:\\a\\tool.agent'],
    ['npx', ['C:\\a\\npx'], undefined],
  ])('%s among %j', (name, present, expected) => {
    expect(findExecutable(name, env, 'win32', only(...present))).toBe(expected);
  });

  it('has a PATHEXT of its own', () => {
    expect(findExecutable('x', { PATH: 'C:\\a' }, 'win32', only('C:\\a\\x.cmd'))).toBe('C:\\a\\x.cmd');
  });
});
