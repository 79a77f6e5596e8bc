import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { clientErrorCodes, ClientRequestError } from './client-request-error.ts';
import { notRegular } from './file-request-error.ts';
import { hasCode } from './has-code.ts';
import { openParent, type JailedDirectory } from './open-in-jail.ts';
import type { JailedPath } from './path-jail.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

/**
 * Replaces or creates a file in the jail, and the directories that it needs: readers see the old content or the new, never a part, and a failure leaves the old
 * one as it was. Permissions and, where the system allows, the owner are kept; access lists and hard links are not.
 *
 * @throws the system's error; `EISDIR` where something is in the way that is not a regular file
 */
export async function writeFileInJail(
  place: JailedPath,
  content: string,
  signal: AbortSignal,
): Promise<void> {
  const directory = await openParent(place, { create: true });
  try {
    await replaceFile(directory, place.name, content, signal);
  } finally {
    await directory.close();
  }
}

async function replaceFile(
  directory: JailedDirectory,
  name: string,
  content: string,
  signal: AbortSignal,
): Promise<void> {
  const previous = await statWritable(directory.at(name));
  const temporary = directory.at(`.acp-launcher-${randomUUID()}.tmp`);
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    try {
      if (previous) {
        const { uid, gid } = await handle.stat();
        const sameOwner = uid === previous.uid && gid === previous.gid;
        // Giving files away takes privileges; without them the new file is ours, as with any editor.
        if (!sameOwner) await handle.chown(previous.uid, previous.gid).catch(() => undefined);
        await handle.chmod(previous.mode & 0o777);
      }
      await handle.writeFile(content, 'utf8');
      // Or a power cut could leave the new name with no content.
      await handle.datasync();
    } finally {
      await handle.close();
    }
    if (signal.aborted) throw new ClientRequestError(clientErrorCodes.cancelled, 'the request was cancelled');
    await rename(temporary, directory.at(name));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

/** Opening shows what is really there, and that it may be written, which a rename alone would not ask. */
async function statWritable(path: string): Promise<Stats | undefined> {
  try {
    const handle = await open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    try {
      const stats = await handle.stat();
      if (stats.isFile()) return stats;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  throw notRegular();
}
