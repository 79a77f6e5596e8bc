import type { Expectation, Expectations } from './expected/expectation.ts';
import { processExpectations } from './expected/processes.ts';
import { resumeExpectations } from './expected/resume.ts';
import { turnExpectations } from './expected/turns.ts';

const expectations: Expectations = { ...turnExpectations, ...resumeExpectations, ...processExpectations };

/** The expectation of a scenario for an agent: of the rows that fit, the last one, so that exceptions follow the rule. */
export function expectationOf(scenario: string, agent: string): Expectation | undefined {
  return expectations[scenario]?.findLast(({ agents }) => agents.some((name) => agent.startsWith(name)));
}

/** The verdicts that are right. */
export function expectedVerdicts(scenario: string, agent: string): readonly string[] {
  return [expectationOf(scenario, agent)?.verdict ?? []].flat();
}
