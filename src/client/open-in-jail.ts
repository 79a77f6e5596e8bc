import { constants, existsSync } from 'node:fs';
import { mkdir, open, realpath, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from './has-code.ts';
import type { JailedPath } from './path-jail.ts';

/** A directory in the jail that stays the same one, whatever happens to its name. */
export interface JailedDirectory {
  /** The path of an entry of this directory, for the calls of `node:fs`. */
  at(name: string): string;
  close(): Promise<void>;
}

/** `/proc/self/fd/N/name` is the `openat` that Node does not have: looked up from an open directory. */
const hasDescriptorPaths = existsSync('/proc/self/fd');

/**
 * Opens the directory that `place` is in, step by step from the root and without following a link
 * anywhere: a link that is put there after the path was checked leads to an error, not out of the jail.
 *
 * Without `/proc` (outside Linux) the path is checked after it was opened, which leaves a moment between the two.
 */
export async function openParent(
  place: JailedPath,
  options: { readonly create: boolean; readonly anchored?: boolean },
): Promise<JailedDirectory> {
  const { create, anchored = hasDescriptorPaths } = options;
  const { root, directories } = place;
  return anchored ? await walk(root, directories, create) : await checkPath(root, directories, create);
}

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

async function walk(root: string, names: readonly string[], create: boolean): Promise<JailedDirectory> {
  let current = await open(root, directoryFlags);
  for (const name of names) {
    const parent = current;
    try {
      current = await openEntry(entryOf(parent, name), create);
    } finally {
      await parent.close();
    }
  }
  const directory = current;
  return { at: (name) => entryOf(directory, name), close: () => directory.close() };
}

async function openEntry(path: string, create: boolean): Promise<FileHandle> {
  try {
    return await open(path, directoryFlags);
  } catch (error) {
    if (!create || !hasCode(error, 'ENOENT')) throw error;
  }
  await mkdir(path).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  return await open(path, directoryFlags);
}

function entryOf(directory: FileHandle, name: string): string {
  return `/proc/self/fd/${directory.fd}/${name}`;
}

async function checkPath(root: string, names: readonly string[], create: boolean): Promise<JailedDirectory> {
  const path = join(root, ...names);
  if (create) await mkdir(path, { recursive: true });
  if ((await realpath(path)) !== path) {
    throw Object.assign(new Error(`${path} became a link`), { code: 'ELOOP' });
  }
  return { at: (name) => join(path, name), close: () => Promise.resolve() };
}
