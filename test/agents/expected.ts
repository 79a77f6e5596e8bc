import { catalog } from './lab/catalog.ts';

/** What one scenario must show, for the agents whose names begin with one of these. */
export interface Expectation {
  readonly agents: readonly string[];
  /** One verdict, or each of those that are right. */
  readonly verdict: string | readonly string[];
  /** Why, where the verdict is not what one would wish, or differs from what was measured before. */
  readonly note?: string;
}

const withModels = catalog.filter(({ api }) => api !== undefined).map(({ name }) => name);

/** By scenario. A scenario is run with the agents that stand here, and with no others. */
const expectations: Readonly<Record<string, readonly Expectation[]>> = {
  'launch-and-prompt': [{ agents: withModels, verdict: 'fresh; answered, end_turn; model mock-model' }],
};

/** The expectation of a scenario for an agent; the most exact name wins. */
export function expectationOf(scenario: string, agent: string): Expectation | undefined {
  const length = ({ agents }: Expectation) =>
    Math.max(0, ...agents.filter((name) => agent.startsWith(name)).map((name) => name.length));
  return (
    (expectations[scenario] ?? [])
      .filter((expectation) => length(expectation) > 0)
      .toSorted((one, other) => length(other) - length(one))[0] ??
    (process.env['AGENTS_ANY'] ? { agents: [], verdict: '?' } : undefined)
  );
}
