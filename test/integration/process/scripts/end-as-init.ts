/**
 * Run as process 1, which Node is in a container without an init: descendants of agents come to us as orphans and,
 * as nobody reaps them, stay zombies. Reports an EndAsInitReport.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { othersAlive, report, spawnTracked } from './tracked-shell.ts';

export interface EndAsInitReport {
  readonly pid: number;
  readonly endedBy: string;
  readonly reported: readonly number[];
  readonly survivors: readonly string[];
  readonly zombies: number;
}

function countZombies(): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return / \(sleep\) Z 1 /.test(readFileSync(`/proc/${name}/stat`, 'latin1'));
    } catch {
      return false;
    }
  }).length;
}

const { tree, ready } = spawnTracked("sh -c 'sleep 1000 & sleep 1000 & echo ready; exec sleep 1000' & wait");
await ready;
const { endedBy, survivors } = await tree.terminate({ closeGraceMs: 50, terminateGraceMs: 20_000 });
report({
  pid: process.pid,
  endedBy,
  reported: survivors,
  survivors: othersAlive(),
  zombies: countZombies(),
} satisfies EndAsInitReport);
process.exit(0);
