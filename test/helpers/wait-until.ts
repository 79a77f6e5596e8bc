import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const deadlineMs = 15_000;

/** Waits until `look` finds something; fails after fifteen seconds, saying what was waited for. */
export async function waitUntil<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`);
    await delay(10);
  }
}

/** Whether no process of this id is left; one that has ended and waits for its parent counts as gone. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch (error) {
    // Without a /proc it is there, and that is all that is known.
    return (error as NodeJS.ErrnoException).code === 'ESRCH' || existsSync('/proc/self');
  }
}
