import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';

const consoleMethods = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const;

/** What a test, or a part of a campaign, must leave as it was. */
export interface Leftovers {
  /** Bundled agents that this process started and that still run. */
  readonly agents: readonly string[];
  /** Pipes and processes that this process holds. */
  readonly handles: readonly string[];
  /** Listeners on `process`, by event. */
  readonly listeners: Readonly<Record<string, number>>;
}

export function takeStock(): Leftovers {
  const names = process.eventNames().map(String).sort();
  return {
    agents: runningAgents(),
    handles: process.getActiveResourcesInfo().filter((name) => /^(?:Pipe|Process)Wrap$/.test(name)),
    listeners: Object.fromEntries(names.map((name) => [name, process.listenerCount(name)])),
  };
}

/** Pids and command lines of the bundled agents among the children of this process; zombies count. */
function runningAgents(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
      if (Number(afterName.split(' ')[1]) !== process.pid) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return command === '' || /acproxy\.js|faulty-agent\.js/.test(command) ? [`${pid} ${command}`] : [];
    } catch {
      // It ended while we looked.
      return [];
    }
  });
}

/** Lets what is closing close. */
export async function settleDown(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Fails each test of a file that leaves an agent, a pipe, a listener on `process` or an unhandled rejection behind, or
 * in which something was printed. To be called before any other hook is registered, so that it looks last.
 */
export function expectNoLeftovers(): void {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  const printed: unknown[] = [];
  let before: Leftovers;
  beforeAll(() => void process.on('unhandledRejection', note));
  afterAll(() => void process.off('unhandledRejection', note));
  beforeEach(() => {
    before = takeStock();
    for (const name of consoleMethods) {
      vi.spyOn(console, name).mockImplementation((...values: unknown[]) => void printed.push(values));
    }
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await settleDown();
    expect({ ...takeStock(), unhandled: unhandled.splice(0), printed: printed.splice(0) }).toEqual({
      ...before,
      unhandled: [],
      printed: [],
    });
  });
}
