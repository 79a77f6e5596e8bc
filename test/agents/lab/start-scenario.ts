import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Scenario } from '../scenarios/scenario.ts';
import { logsFolder } from './cache.ts';
import type { CatalogAgent } from './catalog/catalog-agent.ts';
import type { Isolation } from './isolate.ts';
import type { ScenarioReport } from './run-scenario.ts';

const defaultTimeoutMs = 120_000;

/** Runs one scenario in a child of its own and reads its report; a child that hangs is ended with all it started. */
export async function startScenario(
  agent: CatalogAgent,
  scenario: Scenario,
  isolation: Isolation,
): Promise<ScenarioReport> {
  const root = mkdtempSync(join(tmpdir(), 'acp-agents-'));
  const resultFile = join(root, 'result.json');
  const logFile = join(logsFolder, `${agent.name}.${scenario.name}.log`);
  mkdirSync(logsFolder, { recursive: true });
  const startedAt = performance.now();
  try {
    const ending = await runChild(agent, scenario, isolation, { root, resultFile, logFile });
    const durationMs = Math.round(performance.now() - startedAt);
    try {
      const report = JSON.parse(readFileSync(resultFile, 'utf8')) as ScenarioReport;
      appendFileSync(logFile, `\n${JSON.stringify(report, null, 2)}\n`);
      return report;
    } catch {
      return { verdict: `no result: ${ending}`, durationMs };
    }
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface ChildFiles {
  readonly root: string;
  readonly resultFile: string;
  readonly logFile: string;
}

function runChild(
  agent: CatalogAgent,
  scenario: Scenario,
  isolation: Isolation,
  { root, resultFile, logFile }: ChildFiles,
): Promise<string> {
  const script = fileURLToPath(new URL('run-scenario.ts', import.meta.url));
  const tsx = import.meta.resolve('tsx');
  const { command, args } = isolation.wrap(process.execPath, [
    ...['--import', tsx, script, agent.name, scenario.name, root, resultFile],
  ]);
  const log = openSync(logFile, 'w');
  const timeoutMs = scenario.timeoutMs ?? defaultTimeoutMs;
  const env = { ...process.env, AGENTS_IN_NAMESPACE: isolation.isolated ? '1' : '0' };
  return new Promise<string>((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', log, log], env });
    // unshare takes its whole namespace along; without one, the scenario's own process is all that can be reached.
    const kill = () => child.kill('SIGKILL');
    const timer = setTimeout(kill, timeoutMs);
    process.once('exit', kill);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      process.off('exit', kill);
      resolve(signal === 'SIGKILL' ? `stopped after ${timeoutMs / 1000} s` : `exit code ${code ?? signal}`);
    });
  }).finally(() => closeSync(log));
}
