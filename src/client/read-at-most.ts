import type { FileHandle } from 'node:fs/promises';

/**
 * Reads a file from its start; `undefined` if there are more than `maxBytes`. Counts what is read, not what `stat`
 * says: files grow, and some report no size at all.
 */
export async function readAtMost(handle: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const { size } = await handle.stat();
  if (size > maxBytes) return undefined;
  // One byte more than expected shows that the end was reached.
  let buffer = Buffer.allocUnsafe(size + 1);
  let used = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, used, buffer.length - used, used);
    used += bytesRead;
    if (used > maxBytes) return undefined;
    if (bytesRead === 0) return buffer.subarray(0, used);
    if (used === buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(used * 2, maxBytes) + 1);
      buffer.copy(larger);
      buffer = larger;
    }
  }
}
