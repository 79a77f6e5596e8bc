import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
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

/** Adds one result to what is known; a run of one scenario, or of one agent, forgets nothing else. */
export async function recordResult(
  about: Omit<AgentResults, 'scenarios'>,
  result: ScenarioResult,
): Promise<void> {
  await mkdir(resultsFolder, { recursive: true });
  const known = await readResults(about.agent);
  const scenarios = { ...known?.scenarios, [result.scenario]: result };
  await writeFile(fileOf(about.agent), `${JSON.stringify({ ...about, scenarios }, null, 2)}\n`);
}

export async function readAllResults(): Promise<readonly AgentResults[]> {
  const files = await readdir(resultsFolder).catch(() => []);
  const all = await Promise.all(files.map((file) => readResults(file.replace(/\.json$/, ''))));
  return all.filter((results) => results !== undefined);
}

export async function readResults(agent: string): Promise<AgentResults | undefined> {
  const text = await readFile(fileOf(agent), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as AgentResults);
}
