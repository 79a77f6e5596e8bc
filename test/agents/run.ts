// npm run test:agents -- [NAME…] [--scenario NAME]… [--failed] [--jobs N] [--list]: takes published agents through the
// scenarios. --failed: only those that were not as expected in the last run. --jobs: so many scenarios at a time.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { expectationOf, expectedVerdicts } from './expected.ts';
import { findings } from './expected/findings.ts';
import { reportFile } from './lab/cache.ts';
import { catalog, chooseAgents } from './lab/catalog.ts';
import type { CatalogAgent } from './lab/catalog/catalog-agent.ts';
import { installAgents } from './lab/install.ts';
import { detectIsolation, type Isolation } from './lab/isolate.ts';
import { readAllResults, readResults, recordResult } from './lab/results.ts';
import { renderReport } from './lab/report.ts';
import { startScenario } from './lab/start-scenario.ts';
import { scenarios } from './scenarios/all.ts';
import type { Scenario } from './scenarios/scenario.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scenario: { type: 'string', multiple: true },
    failed: { type: 'boolean' },
    jobs: { type: 'string', default: '1' },
    list: { type: 'boolean' },
  },
});

const unknown = values.scenario?.find((name) => !scenarios.some((scenario) => scenario.name === name));
if (unknown !== undefined) {
  throw new Error(
    `no scenario is called ${unknown}; there are: ${scenarios.map(({ name }) => name).join(', ')}`,
  );
}

// By default these end the process without its `exit` listeners, which end the scenario that runs.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

if (values.list === true) {
  for (const { name, packages } of catalog) console.log(`${name}  (${packages.join(' ')})`);
  for (const { name, shows } of scenarios) console.log(`--scenario ${name}: ${shows}`);
} else {
  process.exitCode = (await runAll(chooseAgents(positionals))) ? 0 : 1;
}

async function runAll(agents: readonly CatalogAgent[]): Promise<boolean> {
  await installAgents(agents, console.log);
  const isolation = detectIsolation();
  if (!isolation.isolated) console.log('unshare is not allowed here: the network is not cut off');
  const commit = currentCommit();
  const jobs = Number(values.jobs);
  if (!Number.isInteger(jobs) || jobs < 1) throw new Error('--jobs: a whole number, 1 or more');
  const all = agents.flatMap((agent) => scenariosFor(agent).map((scenario) => ({ agent, scenario })));
  const timed = all.filter(({ scenario }) => scenario.timed === true);
  const others = all.filter(({ scenario }) => scenario.timed !== true);
  let failures = 0;
  const workOff = async (queue: typeof all) => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (!(await runOne(next.agent, next.scenario, isolation, commit))) failures += 1;
    }
  };
  await Promise.all(Array.from({ length: jobs }, () => workOff(others)));
  await workOff(timed);
  writeReport();
  console.log(failures === 0 ? 'all as expected' : `${failures} not as expected`);
  return failures === 0;
}

/** Runs one scenario, records what came of it, and tells whether that was expected. */
async function runOne(
  agent: CatalogAgent,
  scenario: Scenario,
  isolation: Isolation,
  commit: string,
): Promise<boolean> {
  const { verdict, aside, times = {}, durationMs } = await startScenario(agent, scenario, isolation);
  const { name, packages, node } = agent;
  const nodeVersion = node === 'host' ? process.versions.node : String(node);
  recordResult(
    { agent: name, packages, node: nodeVersion, isolated: isolation.isolated },
    {
      scenario: scenario.name,
      verdict,
      ...(aside === undefined || aside === '' ? {} : { aside }),
      durationMs,
      times,
      date: new Date().toISOString(),
      commit,
    },
  );
  const expected = expectedVerdicts(scenario.name, name);
  const passed = expected.includes(verdict);
  const seconds = (durationMs / 1000).toFixed(1);
  const isNoProof = !passed && scenario.timed === true && process.env['CI'] !== undefined;
  console.log(
    `${passed ? 'ok  ' : isNoProof ? 'slow' : 'FAIL'} ${name} ${scenario.name} ${seconds} s: ${verdict}`,
  );
  if (!passed) console.log(`     expected: ${expected.join(' / ')}`);
  return passed || isNoProof;
}

function scenariosFor(agent: CatalogAgent): readonly Scenario[] {
  const last = values.failed === true ? readResults(agent.name)?.scenarios : undefined;
  return scenarios.filter(
    ({ name }) =>
      !expectedVerdicts(name, agent.name).includes(last?.[name]?.verdict ?? '') &&
      (values.scenario === undefined || values.scenario.includes(name)) &&
      expectationOf(name, agent.name) !== undefined,
  );
}

function writeReport(): void {
  const order = (name: string) => catalog.findIndex((agent) => agent.name === name);
  const results = readAllResults().filter(({ agent }) => order(agent) >= 0);
  const sorted = results.toSorted((one, other) => order(one.agent) - order(other.agent));
  writeFileSync(reportFile, renderReport(scenarios, findings, sorted));
}

function currentCommit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', cwd: import.meta.dirname }).trim();
  try {
    return (
      git('rev-parse', '--short', 'HEAD') +
      (git('status', '--porcelain', '--', '../../src') === '' ? '' : '+')
    );
  } catch {
    return 'unknown';
  }
}
