import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import { hasNamespaces, reportFromNamespace } from '../../helpers/namespace.ts';
import type { KilledHostMode } from './scripts/killed-host.ts';

const script = fileURLToPath(new URL('scripts/killed-host.ts', import.meta.url));
const agent = faultyAgent([]).args[0] ?? '';

// The guard itself has no environment by which it could be told from another process outside a namespace.
describe.runIf(hasNamespaces)('X09: after a SIGKILL of the host, an agent that', () => {
  test.each<[KilledHostMode, object]>([
    ['follows the end of stdin', { end: 'SIGKILL', left: 0 }],
    ['ignores the end of stdin', { end: 'SIGKILL', left: 1 }],
    ['ignores the end of stdin, guarded', { end: 'SIGKILL', left: 0 }],
    ['ignores stdin and SIGTERM, guarded', { end: 'SIGKILL', left: 0 }],
    ['ignores the end of stdin, in a worker, guarded', { end: 0, left: 0 }],
  ])('%s: %o', async (mode, expected) => {
    expect(await reportFromNamespace({ script, args: [agent, mode] })).toEqual(expected);
  });
});
