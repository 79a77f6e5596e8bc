import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { reportFromNamespace } from '../../helpers/namespace.ts';

const script = fileURLToPath(new URL('scripts/terminal-trees.ts', import.meta.url));
const run = (scenario: string) => reportFromNamespace<unknown>({ script, args: [scenario] });

describe('the trees of terminals, in a namespace of their own', () => {
  test('kill ends the whole tree, also what ignores SIGTERM, and the terminal stays readable', async () => {
    const exitStatus = { exitCode: null, signal: 'SIGKILL' };
    expect(await run('kill')).toEqual({
      before: true,
      alive: [],
      running: { output: 'ready\n', truncated: false, exitStatus: null },
      waited: exitStatus,
      after: { output: 'ready\n', truncated: false, exitStatus },
    });
  });

  test('kill lets a command end itself, and shows what it said and how it ended', async () => {
    expect(await run('killGently')).toEqual({
      after: {
        // Some shells report the end of their child as well.
        output: expect.stringMatching(/^ready\n(Terminated\n)?saved\n$/) as string,
        truncated: false,
        exitStatus: { exitCode: 7, signal: null },
      },
      alive: [],
    });
  });

  test('release forgets the terminal at once and ends its tree; whoever waits hears of the end', async () => {
    expect(await run('release')).toEqual({
      duringRelease: -32002,
      alive: [],
      waited: { exitCode: null, signal: 'SIGKILL' },
      again: -32002,
    });
  });

  test('the end of a session ends its terminals, those being made or released included, and no others', async () => {
    expect(await run('closeSession')).toEqual({
      started: -32800,
      waited: { exitCode: null, signal: 'SIGKILL' },
      forgotten: -32002,
      othersGoOn: true,
      othersAreAlive: true,
      alive: [],
    });
  });

  test('X05 a child in the background keeps nobody waiting, is still heard, and ends with the terminal', async () => {
    expect(await run('background')).toEqual({
      waited: { exitCode: 0, signal: null },
      atExit: { output: 'done\n', truncated: false, exitStatus: { exitCode: 0, signal: null } },
      aliveBefore: true,
      alive: [],
    });
  });

  test('a wait that is taken back ends, and the command goes on', async () => {
    expect(await run('abortedWait')).toEqual({ code: -32800, goesOn: true, alive: [] });
  });

  test('endless output neither fills the memory nor holds up the host', async () => {
    expect(await run('flood')).toEqual({
      length: 1024 * 1024,
      truncated: true,
      exitStatus: { exitCode: null, signal: 'SIGTERM' },
      bounded: true,
      alive: [],
    });
  });

  test('a host that exits leaves no terminal behind', async () => {
    expect(await run('hostExit')).toEqual({ code: 3, alive: [] });
  });
});
