import { spawnSync } from 'node:child_process';
import { processExists } from './send-signal.ts';
import type { ProcessReader, ProcessRecord } from './process-table.ts';

const columns = 'pid=,ppid=,pgid=,stat=,lstart=';
const psTimeoutMs = 2_000;

/**
 * Parses the output of `ps -o pid=,ppid=,pgid=,stat=,lstart=`. There is no session and no environment in it:
 * a descendant that left both its parent and its group can't be found this way.
 */
export function parsePsOutput(output: string): ProcessRecord[] {
  const records: ProcessRecord[] = [];
  for (const line of output.split('\n')) {
    const [pid, parentPid, groupId, state, ...started] = line.trim().split(/\s+/);
    const startTime = Date.parse(started.join(' '));
    if (!pid || !state || Number.isNaN(startTime)) continue;
    records.push({
      pid: Number(pid),
      parentPid: Number(parentPid),
      groupId: Number(groupId),
      sessionId: Number(groupId),
      startTime,
      dead: state.startsWith('Z'),
    });
  }
  return records;
}

function runPs(selection: readonly string[]): ProcessRecord[] {
  const result = spawnSync('ps', [...selection, '-o', columns], {
    encoding: 'utf8',
    timeout: psTimeoutMs,
    maxBuffer: 64 * 1024 * 1024,
    // Dates in a language that Date.parse understands.
    env: { ...process.env, LC_ALL: 'C' },
  });
  // Half a table would say that the other half is gone.
  return result.status === 0 ? parsePsOutput(result.stdout) : [];
}

/** For macOS and other systems without Linux' `/proc`. */
export const psProcessReader: ProcessReader = {
  readAll: () => ({ records: runPs(['-A']), vanished: false }),
  readOne: (pid) => runPs(['-p', String(pid)])[0],
  // No ps for each poll: a zombie or a recycled pid only delays the next full look, which decides.
  isAlive: (record) => processExists(record.pid),
  readLease: () => null,
};
