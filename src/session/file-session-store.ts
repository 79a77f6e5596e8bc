import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { invalidConfig } from '../errors/invalid-config.ts';
import type { SessionPointer, SessionStore } from './session-store.ts';

/**
 * Keeps each project's pointer in a file of its own in `folder`, which is created when it is needed. Writes are atomic
 * (a new file that is flushed to the disk, then a rename), so a reader never sees half a record, and a crash, of the
 * machine too, leaves the old record or the new one. A file that holds no record is reported by `pointer-unreadable`.
 *
 * @throws AcpLauncherError `invalid-config` for an empty path.
 */
export function fileSessionStore(folder: string): SessionStore {
  if (typeof folder !== 'string' || folder === '') {
    throw invalidConfig('directory', 'must be the path of a directory');
  }
  // At once: the host may change its own directory later.
  const directory = resolve(folder);
  // Project ids are the caller's and may hold anything; the readable part is only for people.
  const fileOf = (key: string) => {
    const readable = key.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 60);
    return join(directory, `${readable}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}.json`);
  };
  return {
    async get(key: string): Promise<unknown> {
      try {
        return readRecord(await readFile(fileOf(key), 'utf8'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async set(key: string, value: SessionPointer): Promise<void> {
      await mkdir(directory, { recursive: true });
      const file = fileOf(key);
      const temporary = `${file}.${randomUUID()}.tmp`;
      try {
        await writeFlushed(temporary, `${JSON.stringify(value)}\n`);
        await rename(temporary, file);
        await flushFolder(directory);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    async delete(key: string): Promise<void> {
      await rm(fileOf(key), { force: true });
    },
  };
}

/** A file that holds no record is corrupt, which the reader of the pointer reports; it is neither an outage nor no record. */
function readRecord(text: string): unknown {
  try {
    return (JSON.parse(text) as unknown) ?? text;
  } catch {
    return text;
  }
}

/** A file system may keep a rename through a power cut, and lose what stands in the file. */
async function writeFlushed(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** So that the rename itself outlives a power cut. Not every system can: the record is whole either way. */
async function flushFolder(path: string): Promise<void> {
  try {
    const handle = await open(path);
    await handle.sync().finally(() => handle.close());
  } catch {
    return;
  }
}
