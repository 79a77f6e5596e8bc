// One scenario with one agent, in a process (and, where it is allowed, in namespaces) of its own:
// run-scenario.ts AGENT SCENARIO FOLDER RESULT-FILE. Started by run.ts.
import { writeFileSync } from 'node:fs';
import { scenarios } from '../scenarios/all.ts';
import type { Outcome } from '../scenarios/scenario.ts';
import { chooseAgents } from './catalog.ts';
import { hostEnvironment, makeFolders, writeHomeFiles } from './isolate.ts';
import { startMockModels } from './mock-models.ts';
import { watchLeftovers } from './processes.ts';
import { ScenarioContext } from './scenario-context.ts';
import { describeError } from './words.ts';

/** What run.ts reads back. */
export interface ScenarioReport extends Outcome {
  readonly durationMs: number;
}

const [agentName = '', scenarioName, root = '', resultFile = ''] = process.argv.slice(2);
const [agent] = chooseAgents([agentName]);
const scenario = scenarios.find(({ name }) => name === scenarioName);
if (!agent || !scenario) throw new Error(`no such agent or scenario: ${agentName} ${scenarioName}`);

const inOwnNamespace = process.env['AGENTS_IN_NAMESPACE'] === '1';
const folders = makeFolders(root);
const models = await startMockModels();
const loginFiles = scenario.withLogin === false ? {} : agent.loginFiles?.(models.url);
writeHomeFiles(folders.home, { ...agent.files, ...loginFiles });
// This process plays the service that uses the library: what it has in its environment is part of the test.
for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
Object.assign(process.env, hostEnvironment(agent, folders));
process.chdir(folders.project);

const leftovers = watchLeftovers(folders.home, inOwnNamespace);
const context = new ScenarioContext({ agent, folders, models, leftovers });
const startedAt = performance.now();
const outcome = await runToTheEnd();
const durationMs = Math.round(performance.now() - startedAt);
const left = leftovers.find();
const report: ScenarioReport = {
  ...outcome,
  durationMs,
  verdict: left.length === 0 ? outcome.verdict : `${outcome.verdict}; left behind ${left.length} processes`,
  details: {
    ...outcome.details,
    ...(left.length === 0 ? {} : { left }),
    ...(models.unknown.length === 0 ? {} : { unknownModelRequests: models.unknown }),
  },
};
writeFileSync(resultFile, JSON.stringify(report));
await models.close();
process.exit(0);

async function runToTheEnd(): Promise<Outcome> {
  try {
    return await scenario!.run(context);
  } catch (error) {
    const stack = error instanceof Error ? error.stack : String(error);
    return { verdict: `threw ${describeError(error)}`, details: { error, stack } };
  } finally {
    await context.close();
  }
}
