import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { hasNamespaces, reportFromNamespace } from '../../helpers/namespace.ts';

const script = fileURLToPath(new URL('scripts/orphan-guard.ts', import.meta.url));
const run = (mode: string) => reportFromNamespace({ script, args: [mode] });

// The guard itself has no environment by which it could be told from another process outside a namespace.
describe.runIf(hasNamespaces)('X09: the orphan guard', () => {
  test('after a SIGKILL of the host it ends agents that ignore stdin and SIGTERM, and no stranger', async () => {
    expect(await run('guarded')).toEqual({ signal: 'SIGKILL', left: 0, strangers: 2 });
  });

  test('without it they would live on', async () => {
    const result = (await run('unguarded')) as { left: number };
    expect(result.left).toBeGreaterThanOrEqual(2);
  });

  test('it neither keeps the host alive nor outlives it for long', async () => {
    expect(await run('runs-out')).toEqual({ code: 0, left: 0 });
  });

  test('it leaves the agents of a living host alone when its pipe breaks', async () => {
    expect(await run('lost-pipe')).toEqual({ code: 0, left: 1 });
  });

  test('there is one for all users, gone when the last of them has closed it', async () => {
    expect(await run('shared')).toEqual({ counts: [1, 1, 0, 1], left: 0 });
  });
});
