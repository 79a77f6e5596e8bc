import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { hasNamespaces, reportFromNamespace } from '../../helpers/namespace.ts';

// Outside a namespace it would hide the processes of this machine.
test.runIf(hasNamespaces)(
  'without /proc, agents and their groups are ended, and told to be gone',
  async () => {
    const script = fileURLToPath(new URL('scripts/without-proc.ts', import.meta.url));
    const by = (endedBy: string) => ({ endedBy, survivors: [] });
    expect(await reportFromNamespace({ script })).toEqual({
      ended: {
        'leaves when stdin ends': by('stdin-end'),
        'ignores the end of stdin': by('SIGTERM'),
        'ignores SIGTERM': by('SIGKILL'),
        'leaves a child behind': by('SIGTERM'),
        'has left already': by('exit'),
      },
      alive: [],
    });
  },
);
