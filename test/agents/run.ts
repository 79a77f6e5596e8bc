// npm run test:agents -- [NAME…] [--scenario NAME]… [--failed] [--list]: takes published agents through the scenarios.
// --failed: only those that were not as expected in the last run.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { expectationOf } from './expected.ts';
import { findings } from './expected/findings.ts';
import { reportFile } from './lab/cache.ts';
import { catalog, chooseAgents } from './lab/catalog.ts';
import type { CatalogAgent } from './lab/catalog/catalog-agent.ts';
import { installAgents } from './lab/install.ts';
import { detectIsolation } from './lab/isolate.ts';
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
  let failures = 0;
  for (const agent of agents) {
    for (const scenario of await scenariosFor(agent)) {
      const report = await startScenario(agent, scenario, isolation);
      const { verdict = [], note } = expectationOf(scenario.name, agent.name) ?? {};
      const expected = typeof verdict === 'string' ? [verdict] : verdict;
      const passed = expected.includes(report.verdict);
      if (!passed) failures += 1;
      const { name, packages, node } = agent;
      const nodeVersion = node === 'host' ? process.versions.node : String(node);
      await recordResult(
        { agent: name, packages, node: nodeVersion, isolated: isolation.isolated },
        {
          scenario: scenario.name,
          verdict: report.verdict,
          ...(report.aside === undefined || report.aside === '' ? {} : { aside: report.aside }),
          expected,
          ...(note === undefined ? {} : { note }),
          passed,
          durationMs: report.durationMs,
          times: report.times ?? {},
          date: new Date().toISOString(),
          commit,
        },
      );
      const seconds = (report.durationMs / 1000).toFixed(1);
      console.log(`${passed ? 'ok  ' : 'FAIL'} ${name} ${scenario.name} ${seconds} s: ${report.verdict}`);
      if (!passed) console.log(`     expected: ${expected.join(' / ')}`);
    }
  }
  await writeReport();
  console.log(failures === 0 ? 'all as expected' : `${failures} not as expected`);
  return failures === 0;
}

async function scenariosFor(agent: CatalogAgent): Promise<readonly Scenario[]> {
  const last = values.failed === true ? (await readResults(agent.name))?.scenarios : undefined;
  return scenarios.filter(
    ({ name }) =>
      last?.[name]?.passed !== true &&
      (values.scenario === undefined || values.scenario.includes(name)) &&
      expectationOf(name, agent.name) !== undefined,
  );
}

async function writeReport(): Promise<void> {
  const order = (name: string) => catalog.findIndex((agent) => agent.name === name);
  const known = (await readAllResults()).filter(({ agent }) => order(agent) >= 0);
  const results = known.toSorted((one, other) => order(one.agent) - order(other.agent));
  writeFileSync(reportFile, renderReport(scenarios, findings, results));
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
