import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { reportFromNamespace } from '../../helpers/namespace.ts';

const script = fileURLToPath(new URL('scripts/spawn-host.ts', import.meta.url));
const run = <Report>(scenario: string) => reportFromNamespace<Report>({ script, args: [scenario] });

interface Resources {
  readonly listeners: readonly number[];
  readonly fileDescriptors: number;
  readonly active: readonly string[];
}

describe('the host of a spawn', () => {
  it('survives every kind of failed spawn, and nothing is left of it (B01, X01)', async () => {
    expect(await run('failures')).toEqual({
      codes: [
        ...['command-missing', 'cwd-missing', 'cwd-missing', 'command-not-executable', 'command-missing'],
        ...['spawn-failed', 'spawn-failed', 'spawn-failed'],
      ],
      uncaught: [],
      alive: [],
    });
  });

  it('survives a spawn that gets no file descriptors, and can spawn again afterwards (X01)', async () => {
    expect(await run('exhausted')).toEqual({
      outcomes: ['spawn-failed', 'spawn-failed', 'spawn-failed', 'stdin-end'],
      uncaught: [],
    });
  });

  it('is told of the exit at once when a descendant holds the pipes, and close() ends that one too (X05)', async () => {
    const exit = { exitCode: 7, exitSignal: null };
    const ending = { exit, heldOpen: true, survivors: [], destroyed: [true, true] };
    expect(await run('pipes-held')).toEqual({
      endings: [
        { ...ending, endedBy: 'SIGTERM' },
        { ...ending, endedBy: 'SIGKILL' },
      ],
      alive: [],
      uncaught: [],
    });
  });

  it('can close and kill an agent that heeds neither, with data unsent (B44, B46, X11)', async () => {
    const killed = { endedBy: 'SIGKILL', survivors: [] };
    const reports = [killed, killed, killed, killed];
    expect(await run('stubborn')).toEqual({ reports, inTime: true, alive: [], uncaught: [] });
  });

  it('has its listeners, file descriptors and handles back after a close', async () => {
    interface Report {
      readonly before: Resources;
      readonly after: Resources;
      readonly alive: readonly string[];
      readonly uncaught: readonly string[];
    }
    const { before, after, alive, uncaught } = await run<Report>('nothing-left');
    expect(after).toEqual(before);
    expect({ alive, uncaught }).toEqual({ alive: [], uncaught: [] });
  });
});
