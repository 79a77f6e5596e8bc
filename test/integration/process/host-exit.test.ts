import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { reportFromNamespace } from '../../helpers/namespace.ts';
import { hostEndings, type HostEndingName } from './scripts/host-endings.ts';
import type { HostExitReport } from './scripts/host-exit.ts';

const script = fileURLToPath(new URL('scripts/host-exit.ts', import.meta.url));

/** The exit code or signal of each ending: that of a host that has never heard of us. */
const expected: Record<HostEndingName, string> = {
  'runs out of work': '0',
  'runs out of work with an exit code': '7',
  'process.exit(3)': '3',
  'an exception': '1',
  'a rejection': '1',
  'an exception in an exit listener': '0',
  SIGINT: 'SIGINT',
  SIGTERM: 'SIGTERM',
  SIGHUP: 'SIGHUP',
  'SIGTERM with a once listener of the host, older than ours': '5',
  'SIGTERM with a once listener of the host, younger than ours': '5',
  'SIGTERM with a once listener of the host that closes its agents, older than ours': '6',
  'SIGTERM with a once listener of the host that closes its agents, younger than ours': '6',
  'SIGHUP that the host survives, then SIGTERM': 'SIGTERM',
  'SIGTERM with listeners of signal-exit, which execa installs': 'SIGTERM',
  'SIGTERM with two copies of this library': 'SIGTERM',
  'a second SIGTERM while we are closing': 'SIGTERM',
  'process.exit(9) while we are closing': '9',
};

const others: Partial<Record<HostEndingName, string[]>> = {
  'SIGTERM with two copies of this library': [
    'saves on SIGTERM',
    'second copy, saves for a second on SIGTERM',
  ],
  // Cuts off those that were waiting for their SIGTERM.
  'a second SIGTERM while we are closing': ['saves at the end of stdin'],
};

describe('B45 B48: no agent outlives the host, each has time to save, and the host ends as it would without us', () => {
  test.each(Object.keys(hostEndings) as HostEndingName[])('%s', async (name) => {
    const result = await reportFromNamespace<HostExitReport>({ script, args: [name] });
    expect(result).toEqual({
      withAgents: expected[name],
      withoutAgents: expected[name],
      saved: others[name] ?? ['saves on SIGTERM', 'saves at the end of stdin'],
      survivors: [],
    });
  });
});
