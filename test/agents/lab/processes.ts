import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** The kernel's letter; `Z` is a process that has ended and was not yet waited for. */
  readonly state: string;
  readonly command: string;
}

/** Every process that this one can see: in a pid namespace of its own, only what the run has started. */
export function processTable(): readonly ProcessRow[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
        const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return [{ pid: Number(entry), parent: Number(parent), state, command: command.slice(0, 120) }];
      } catch {
        return []; // it ended between the two reads
      }
    });
}

export interface LeftoverWatch {
  /** The processes that are alive now and were not when the watch began. */
  find(): readonly ProcessRow[];
}

/**
 * Watches for processes that outlive their agent. In a pid namespace everything new counts; outside of one
 * only what carries the run's unique HOME, so that no stranger is ever taken for ours.
 */
export function watchLeftovers(home: string, inOwnNamespace: boolean): LeftoverWatch {
  const before = new Set(processTable().map((row) => row.pid));
  return {
    find: () =>
      processTable().filter(
        (row) => row.state !== 'Z' && !before.has(row.pid) && (inOwnNamespace || hasHome(row.pid, home)),
      ),
  };
}

function hasHome(pid: number, home: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
  } catch {
    return false;
  }
}
