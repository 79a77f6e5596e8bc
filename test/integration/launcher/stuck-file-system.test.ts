import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import { reportFromNamespace } from '../../helpers/namespace.ts';

it('a file system that does not answer holds no launch and no opening: each ends at its deadline, or by its signal', async () => {
  const script = fileURLToPath(new URL('scripts/stuck-file-system.ts', import.meta.url));
  const args = [faultyAgent([]).args[0] ?? ''];
  expect(await reportFromNamespace({ script, args })).toEqual({
    late: { code: 'timeout', phase: 'config', timeoutMs: 300 },
    aborted: { code: 'aborted', phase: 'spawn' },
    opened: {
      late: { code: 'timeout', phase: 'config', timeoutMs: 300 },
      moreLate: { code: 'timeout', phase: 'config', timeoutMs: 300 },
      moreAborted: { code: 'aborted', phase: 'session' },
    },
    undiagnosed: { code: 'spawn-failed', phase: 'spawn' },
    afterwards: 'fresh',
  });
});
