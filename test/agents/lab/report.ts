import { expectationOf, expectedVerdicts } from '../expected.ts';
import type { Finding } from '../expected/findings.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { AgentResults, ScenarioResult } from './results.ts';

/** The report of everything that is known, as Markdown. It says only what runs have recorded. */
export function renderReport(
  scenarios: readonly Scenario[],
  findings: readonly Finding[],
  all: readonly AgentResults[],
): string {
  const known = scenarios.filter(({ name }) => all.some((results) => results.scenarios[name] !== undefined));
  return [
    '# Real agents',
    '',
    'Made by `npm run test:agents` from `results/`; do not edit. Each row is the last run of that scenario with that',
    'agent, against local mock models. ✓ is what `expected.ts` expects, ✗ is not.',
    '',
    ...renderOverview(known, all),
    ...renderMatrix(known, all),
    ...renderFindings(findings),
    ...known.flatMap((scenario) => renderScenario(scenario, all)),
  ].join('\n');
}

function renderOverview(scenarios: readonly Scenario[], all: readonly AgentResults[]): string[] {
  return [
    '## The agents',
    '',
    ...table(
      ['agent', 'packages', 'Node', 'isolated', 'as expected', 'seconds', 'last run', 'commit'],
      all.map((results) => {
        const rows = Object.values(results.scenarios).filter(({ scenario }) =>
          scenarios.some(({ name }) => name === scenario),
        );
        const passed = rows.filter((row) => isExpected(results.agent, row)).length;
        const last = rows.toSorted((one, other) => one.date.localeCompare(other.date)).at(-1);
        return [
          results.agent,
          results.packages.join(', '),
          results.node,
          results.isolated ? 'yes' : 'no',
          `${passed === rows.length ? '✓' : '✗'} ${passed} of ${rows.length}`,
          seconds(rows.reduce((sum, row) => sum + row.durationMs, 0)),
          last?.date.slice(0, 16).replace('T', ' ') ?? '',
          last?.commit ?? '',
        ];
      }),
    ),
  ];
}

function renderMatrix(scenarios: readonly Scenario[], all: readonly AgentResults[]): string[] {
  return [
    '## At a glance',
    '',
    'An empty field: the scenario does not apply to the agent. The remarks below tell where agents differ, and why.',
    '',
    ...table(
      ['scenario', ...all.map(({ agent }) => agent)],
      scenarios.map(({ name }) => [
        `[${name}](#${name})`,
        ...all.map(({ agent, scenarios: results }) =>
          results[name] === undefined ? '' : mark(agent, results[name]),
        ),
      ]),
    ),
  ];
}

function renderFindings(findings: readonly Finding[]): string[] {
  return [
    '## Found here',
    '',
    'What earlier measurements of these agents did not have, or had otherwise.',
    '',
    ...table(
      ['agent', 'found', 'so'],
      findings.map(({ agents, found, so }) => [agents, found, so]),
    ),
  ];
}

function renderScenario({ name, shows }: Scenario, all: readonly AgentResults[]): string[] {
  const rows = all.flatMap(({ agent, scenarios }) => {
    const result = scenarios[name];
    return result === undefined
      ? []
      : [
          [
            agent,
            mark(agent, result),
            result.verdict,
            result.aside ?? '',
            times(result),
            remark(agent, result),
          ],
        ];
  });
  return [
    `## ${name}`,
    '',
    `Shows: ${shows}.`,
    '',
    ...table(['agent', '', 'outcome', 'seen', 'time', 'remark'], rows),
  ];
}

function isExpected(agent: string, { scenario, verdict }: ScenarioResult): boolean {
  return expectedVerdicts(scenario, agent).includes(verdict);
}

function mark(agent: string, result: ScenarioResult): string {
  return isExpected(agent, result) ? '✓' : '✗';
}

function remark(agent: string, result: ScenarioResult): string {
  const { note = '' } = expectationOf(result.scenario, agent) ?? {};
  const expected = expectedVerdicts(result.scenario, agent).join(' / ');
  return isExpected(agent, result) ? note : `expected: ${expected}. ${note}`;
}

function times({ times: parts, durationMs }: ScenarioResult): string {
  const named = Object.entries(parts).map(([name, value]) => `${name} ${seconds(value)}`);
  return [...named, `all ${seconds(durationMs)}`].join(', ');
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''];
}
