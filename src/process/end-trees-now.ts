import type { ProcessTable } from './process-table.ts';
import { processScanner } from './process-scanner.ts';
import type { TerminationTarget, TreeControl } from './tree-control.ts';

/** How long the host's exit waits between SIGTERM and SIGKILL: agents write their transcripts in that time. */
const graceMs = 300;
const killRoundMs = 50;
const killRounds = 8;
const freezeRounds = 5;
const pollMs = 5;

interface SynchronousTree {
  readonly target: TerminationTarget;
  readonly control: TreeControl;
}

/** Ends all trees without giving up the tick: for the host's `exit` event. Blocks for 0.7 s at most. */
export function endTreesNow(trees: readonly SynchronousTree[]): void {
  if (trees.length === 0) return;
  for (const { target } of trees) {
    if (target.destroyInput) target.destroyInput();
    else target.endInput();
  }
  signalAll(trees, 'SIGTERM');
  waitWhileAlive(trees, graceMs);
  // The first round also looks for what was forked meanwhile.
  for (let round = 0; round < killRounds; round += 1) {
    for (let freeze = 0; freeze < freezeRounds && signalAll(trees, 'SIGSTOP') > 0; freeze += 1);
    if (signalAll(trees, 'SIGKILL') === 0) return;
    waitWhileAlive(trees, killRoundMs);
  }
}

/** One table for all of them. */
function signalAll(trees: readonly SynchronousTree[], signal: 'SIGTERM' | 'SIGSTOP' | 'SIGKILL'): number {
  let table: ProcessTable | undefined;
  const look = () => (table ??= processScanner.read());
  return trees.reduce((count, { control }) => count + control.signalNow(signal, look), 0);
}

function waitWhileAlive(trees: readonly SynchronousTree[], timeoutMs: number): void {
  const deadline = performance.now() + timeoutMs;
  const clock = new Int32Array(new SharedArrayBuffer(4));
  while (performance.now() < deadline && trees.some(({ control }) => control.isAliveNow())) {
    Atomics.wait(clock, 0, 0, pollMs);
  }
}
