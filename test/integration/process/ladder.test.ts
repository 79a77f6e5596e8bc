import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { reportFromNamespace } from '../../helpers/namespace.ts';

const script = fileURLToPath(new URL('scripts/ladder.ts', import.meta.url));
const run = (mode: string) => reportFromNamespace({ script, args: [mode] });

// Graces are ten minutes wherever a test would otherwise have to measure that they were not waited for.
describe('the rungs of terminate', () => {
  test('now: SIGKILL at once', async () => {
    expect(await run('now')).toEqual({ result: { endedBy: 'SIGKILL', survivors: [] }, survivors: [] });
  });

  test('a later call with now joins the running ladder and sends it to its last rung', async () => {
    expect(await run('escalate')).toEqual({
      result: { shared: true, endedBy: 'SIGKILL', survivors: [] },
      survivors: [],
    });
    expect(await run('escalate-later')).toEqual({
      result: { endedBy: 'SIGKILL', survivors: [] },
      survivors: [],
    });
  });

  test('B45: no SIGKILL within the flush time of a turn, unless now', async () => {
    expect(await run('not-before')).toEqual({
      result: { endedBy: 'SIGKILL', diedEarly: false },
      survivors: [],
    });
    expect(await run('not-before-now')).toEqual({
      result: { endedBy: 'SIGKILL', survivors: [] },
      survivors: [],
    });
  });

  test('an agent that left by itself', async () => {
    expect(await run('gone')).toEqual({ result: { endedBy: 'exit', survivors: [] }, survivors: [] });
  });

  test('a second terminate gets the report of the first', async () => {
    expect(await run('again')).toEqual({ result: { endedBy: 'SIGKILL', survivors: [] }, survivors: [] });
  });
});
