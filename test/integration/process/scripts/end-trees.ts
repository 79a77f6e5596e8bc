/**
 * Usage: end-trees SCENARIO REPEATS TOGETHER. Sets the scenario up TOGETHER times at once, ends all of them, looks
 * for anything alive in the namespace, REPEATS times over. Reports an EndTreesReport.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { othersAlive, report, spawnTracked } from './tracked-shell.ts';
import { treeScenarios, type TreeScenario, type TreeScenarioName } from './tree-scenarios.ts';

export interface EndTreesReport {
  readonly trees: number;
  readonly endedBy: readonly string[];
  /** What the reports said. */
  readonly reported: readonly number[];
  /** What was really there. */
  readonly survivors: readonly string[];
}

const [name, repeats, together] = process.argv.slice(2);
const scenario: TreeScenario = treeScenarios[name as TreeScenarioName];
// Short where a grace is to pass; where one is not, a busy machine must not make it.
const graces = {
  closeGraceMs: scenario.endedBy === 'stdin-end' ? 20_000 : 150,
  terminateGraceMs: scenario.endedBy === 'SIGTERM' ? 20_000 : 400,
};
const endedBy = new Set<string>();
const reported: number[] = [];
const survivors: string[] = [];

async function endOne(): Promise<void> {
  const { tree, ready, exited } = spawnTracked(scenario.script);
  await ready;
  if (scenario.leaderExits) await exited;
  await delay(scenario.delayMs ?? 0);
  const result = await tree.terminate(graces);
  tree.release();
  endedBy.add(result.endedBy);
  reported.push(...result.survivors);
}

for (let repeat = 0; repeat < Number(repeats); repeat += 1) {
  await Promise.all(Array.from({ length: Number(together) }, endOne));
  survivors.push(...othersAlive());
}
report({
  trees: Number(repeats) * Number(together),
  endedBy: [...endedBy],
  reported,
  survivors,
} satisfies EndTreesReport);
process.exit(0);
