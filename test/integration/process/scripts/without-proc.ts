/**
 * To be run in a namespace alone: hides /proc, as some sandboxes do, and ends agents without it. Reports how, and who
 * is alive when /proc is back.
 */
import { execFileSync } from 'node:child_process';
import { othersAlive, report, spawnTracked } from './tracked-shell.ts';

const graces = { closeGraceMs: 200, terminateGraceMs: 200 };
const agents: Record<string, string> = {
  'leaves when stdin ends': 'echo ready; cat > /dev/null',
  'ignores the end of stdin': 'echo ready; exec sleep 1000',
  'ignores SIGTERM': "trap '' TERM; echo ready; while :; do sleep 1; done",
  'leaves a child behind': 'sleep 1000 & echo ready; cat > /dev/null',
  'has left already': 'echo ready',
};

execFileSync('mount', ['-t', 'tmpfs', 'none', '/proc']);
const ended: Record<string, unknown> = {};
for (const [name, script] of Object.entries(agents)) {
  const { tree, ready, exited } = spawnTracked(script);
  await ready;
  if (name === 'has left already') await exited;
  ended[name] = await tree.terminate(graces);
  tree.release();
}
execFileSync('umount', ['/proc']);
report({ ended, alive: othersAlive() });
process.exit(0);
