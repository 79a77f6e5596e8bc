import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { hasCode } from './has-code.ts';

/** As many links in a row as Linux follows before it answers ELOOP. */
const maxLinks = 40;

/** Whether `path` is `root` or lies under it. Both must be absolute and free of `..`; nothing is looked up. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/**
 * Where a path really leads: every symbolic link resolved, also links to nothing, and what does not exist yet taken
 * as it is named. `..` is resolved by name first.
 *
 * @throws the system's error for anything but a missing file: no access, a loop of links.
 */
export async function canonicalPath(path: string): Promise<string> {
  return await canonicalize(resolve(path), maxLinks);
}

async function canonicalize(path: string, linksLeft: number): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    const parent = dirname(path);
    if (parent === path) throw error;
    const canonicalParent = await canonicalize(parent, linksLeft);
    const here = join(canonicalParent, basename(path));
    const target = await readlink(here).catch(() => undefined);
    if (target === undefined) return here;
    if (linksLeft === 0) throw error;
    return await canonicalize(resolve(canonicalParent, target), linksLeft - 1);
  }
}
