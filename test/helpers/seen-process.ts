import { readFileSync } from 'node:fs';

/** A process that was seen alive: told apart from a later one with the same id by the time of its start. */
export class SeenProcess {
  readonly pid: number;
  readonly #startTime: string | undefined;

  constructor(pid: number) {
    this.pid = pid;
    this.#startTime = statOf(pid)?.startTime;
  }

  /** Whether nothing is left of it; one that has ended and waits for its parent counts as gone. */
  get isGone(): boolean {
    const stat = statOf(this.pid);
    return stat === undefined || stat.startTime !== this.#startTime || /^[ZX]/.test(stat.state);
  }
}

function statOf(pid: number): { readonly state: string; readonly startTime: string | undefined } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // What stands before is the name, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTime: fields[19] };
  } catch {
    return undefined;
  }
}
