import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { notRegular } from './file-request-error.ts';
import { openParent } from './open-in-jail.ts';
import type { JailedPath } from './path-jail.ts';
import { readAtMost } from './read-at-most.ts';

/** Never through a link, and never waiting: without O_NONBLOCK, opening a named pipe waits for a writer. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Reads a regular file in the jail; `undefined` if it has more than `maxBytes`.
 *
 * @throws the system's error; `EISDIR` for anything that is not a regular file
 */
export async function readFileInJail(place: JailedPath, maxBytes: number): Promise<Buffer | undefined> {
  const directory = await openParent(place, { create: false });
  try {
    const handle = await open(directory.at(place.name), readFlags);
    try {
      if (!(await handle.stat()).isFile()) throw notRegular();
      return await readAtMost(handle, maxBytes);
    } finally {
      await handle.close();
    }
  } finally {
    await directory.close();
  }
}
