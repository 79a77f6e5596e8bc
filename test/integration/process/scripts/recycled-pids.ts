/**
 * Usage: recycled-pids leader|member. Gives the pid of a dead process of a tree to a stranger, then ends the tree.
 * Only in a pid namespace of its own: it sets the number from which the kernel counts on.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { othersAlive, report, spawnTracked } from './tracked-shell.ts';

export interface RecycledReport {
  /** Whether the stranger really got the number. */
  readonly recycled: boolean;
  readonly endedBy: string;
  readonly reported: readonly number[];
  readonly strangerAlive: boolean;
  readonly survivors: readonly string[];
}

/** The stranger is the leader of a group and session of its own, or a member of ours. */
function spawnStranger(pid: number, detached: boolean): boolean {
  writeFileSync('/proc/sys/kernel/ns_last_pid', String(pid - 1));
  const stranger = spawn('sleep', ['2000'], { detached, stdio: 'ignore' });
  return stranger.pid === pid;
}

/** The leader is gone, something it started is not; its pid, group and session now belong to a stranger. */
async function recycleLeader() {
  const { pid, tree, ready, exited } = spawnTracked("setsid sh -c 'echo ready; exec sleep 1000' & exit 0");
  await Promise.all([ready, exited]);
  const recycled = spawnStranger(pid, true);
  return { pid, recycled, result: await tree.terminate({ closeGraceMs: 50, terminateGraceMs: 20_000 }) };
}

/** A child is seen by the first look, ends with stdin, and has its pid taken before SIGTERM is sent. */
async function recycleMember() {
  const leader = spawnTracked(
    'sleep 1000 & child=$!; echo $child; cat > /dev/null; kill $child; wait $child; echo gone; exec sleep 1000',
  );
  const [childPid] = (await leader.ready) as [string];
  const gone = once(createInterface(leader.stdout), 'line');
  const ending = leader.tree.terminate({ closeGraceMs: 1_000, terminateGraceMs: 20_000 });
  await gone;
  const pid = Number(childPid);
  const recycled = spawnStranger(pid, false);
  return { pid, recycled, result: await ending };
}

const { pid, recycled, result } = await (process.argv[2] === 'leader' ? recycleLeader() : recycleMember());
const alive = othersAlive();
const isStranger = (line: string) => line === `${pid} S sleep 2000`;
report({
  recycled,
  endedBy: result.endedBy,
  reported: result.survivors,
  strangerAlive: alive.some(isStranger),
  survivors: alive.filter((line) => !isStranger(line)),
} satisfies RecycledReport);
process.exit(0);
