import type { Expectation, Expectations } from './expected/expectation.ts';
import { processExpectations } from './expected/processes.ts';
import { resumeExpectations } from './expected/resume.ts';
import { turnExpectations } from './expected/turns.ts';

const expectations: Expectations = { ...turnExpectations, ...resumeExpectations, ...processExpectations };

/** The expectation of a scenario for an agent; the most exact name wins. */
export function expectationOf(scenario: string, agent: string): Expectation | undefined {
  const length = ({ agents }: Expectation) =>
    Math.max(0, ...agents.filter((name) => agent.startsWith(name)).map((name) => name.length));
  return (expectations[scenario] ?? [])
    .filter((expectation) => length(expectation) > 0)
    .toSorted((one, other) => length(other) - length(one))[0];
}
