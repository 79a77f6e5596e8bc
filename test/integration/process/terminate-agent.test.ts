import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { reportFromNamespace } from '../../helpers/namespace.ts';
import type { EndTreesReport } from './scripts/end-trees.ts';
import { treeScenarios } from './scripts/tree-scenarios.ts';

const script = fileURLToPath(new URL('scripts/end-trees.ts', import.meta.url));

describe('terminate leaves nothing behind', () => {
  for (const [name, { endedBy }] of Object.entries(treeScenarios)) {
    test(name, async () => {
      const result = await reportFromNamespace<EndTreesReport>({ script, args: [name, '3', '4'] });
      expect(result).toEqual({ trees: 12, endedBy: [endedBy], reported: [], survivors: [] });
    });
  }
});
