import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resultsFolder } from './cache.ts';

/** What one scenario did with one agent. Whether that is right, `expected.ts` says. */
export interface ScenarioResult {
  readonly scenario: string;
  /** What happened, in words that are compared. */
  readonly verdict: string;
  /** Shown, not compared. */
  readonly aside?: string;
  readonly durationMs: number;
  /** Parts of the duration that are worth knowing, in milliseconds. */
  readonly times: Readonly<Record<string, number>>;
  readonly date: string;
  /** The commit of the library that ran. */
  readonly commit: string;
}

/** All that is known about one agent: the last result of each scenario, whichever run it came from. */
export interface AgentResults {
  readonly agent: string;
  readonly packages: readonly string[];
  readonly node: string;
  /** Whether it ran without a network but loopback, and in a process table of its own. */
  readonly isolated: boolean;
  readonly scenarios: Readonly<Record<string, ScenarioResult>>;
}

const fileOf = (agent: string) => join(resultsFolder, `${agent}.json`);

/**
 * Adds one result to what is known; a run of one scenario, or of one agent, forgets nothing else. Synchronous: two
 * scenarios of one agent may end at once.
 */
export function recordResult(about: Omit<AgentResults, 'scenarios'>, result: ScenarioResult): void {
  mkdirSync(resultsFolder, { recursive: true });
  const scenarios = { ...readResults(about.agent)?.scenarios, [result.scenario]: result };
  writeFileSync(fileOf(about.agent), `${JSON.stringify({ ...about, scenarios }, null, 2)}\n`);
}

export function readAllResults(): readonly AgentResults[] {
  const files = existsSync(resultsFolder) ? readdirSync(resultsFolder) : [];
  return files
    .map((file) => readResults(file.replace(/\.json$/, '')))
    .filter((results) => results !== undefined);
}

export function readResults(agent: string): AgentResults | undefined {
  const file = fileOf(agent);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as AgentResults) : undefined;
}
