import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { hasNamespaces, reportFromNamespace } from '../../helpers/namespace.ts';
import type { EndAsInitReport } from './scripts/end-as-init.ts';
import type { RecycledReport } from './scripts/recycled-pids.ts';

const scriptAt = (name: string) => fileURLToPath(new URL(`scripts/${name}.ts`, import.meta.url));

// Impossible without a namespace; test/unit/process/find-members.test.ts holds the decisions everywhere.
describe.runIf(hasNamespaces)('pids that mean something else by now', () => {
  test.each(['leader', 'member'])(
    'X09: the pid of a dead %s belongs to a stranger, who lives on',
    async (whose) => {
      const result = await reportFromNamespace<RecycledReport>({
        script: scriptAt('recycled-pids'),
        args: [whose],
      });
      expect(result).toEqual({
        recycled: true,
        endedBy: 'SIGTERM',
        reported: [],
        strangerAlive: true,
        survivors: [],
      });
    },
  );

  test('X10: zombies that the host, being process 1, inherits count as dead', async () => {
    const run = { script: scriptAt('end-as-init'), asInit: true };
    expect(await reportFromNamespace<EndAsInitReport>(run)).toEqual({
      pid: 1,
      endedBy: 'SIGTERM',
      reported: [],
      survivors: [],
      zombies: 3,
    });
  });
});
