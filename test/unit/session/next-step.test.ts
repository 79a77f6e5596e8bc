import { describe, expect, it, test } from 'vitest';
import type { ResumeFailureKind } from '../../../src/errors/resume-failed-error.ts';
import { allowsFallback, nextStep, type Listing } from '../../../src/session/next-step.ts';
import { defaultResumePolicy } from '../../../src/session/resume-policy.ts';

type Row = [
  kind: ResumeFailureKind,
  listing: Listing,
  attempts: number,
  step: string,
  kind?: ResumeFailureKind,
];

describe('what follows a resume that failed', () => {
  test.each<Row>([
    ['missing', 'unknown', 1, 'open-fresh', 'missing'],
    ['missing', 'absent', 1, 'open-fresh', 'missing'],
    // A listed id exists, whatever the error said.
    ['missing', 'listed', 1, 'resume-again'],
    ['missing', 'listed', 2, 'open-fresh', 'unresumable'],
    ['unproven', 'absent', 1, 'open-fresh', 'missing'],
    ['unproven', 'unknown', 1, 'resume-again'],
    ['unproven', 'listed', 1, 'resume-again'],
    ['unproven', 'unknown', 2, 'open-fresh', 'unresumable'],
    ['unproven', 'listed', 2, 'open-fresh', 'unresumable'],
    ['unproven', 'absent', 2, 'open-fresh', 'missing'],
    ['unresumable', 'unknown', 1, 'open-fresh', 'unresumable'],
    ['unsupported', 'unknown', 1, 'open-fresh', 'unsupported'],
    // X03: bounded, and then the caller's matter.
    ['locked', 'unknown', 1, 'resume-again'],
    ['locked', 'unknown', 3, 'resume-again'],
    ['locked', 'unknown', 4, 'throw', 'locked'],
    ['timeout', 'unknown', 1, 'throw', 'timeout'],
    ['ignored', 'unknown', 1, 'throw', 'ignored'],
  ])('%s, %s, attempt %i: %s', (kind, listing, attempts, step, confirmed) => {
    const next = nextStep(defaultResumePolicy, { kind, attempts, listing });
    expect(next).toEqual(confirmed === undefined ? { step } : { step, kind: confirmed });
  });

  it('resumes once more also where no fallback is allowed', () => {
    const policy = { ...defaultResumePolicy, enableFallback: false };
    const failure = { kind: 'unproven', listing: 'unknown' } as const;
    expect(nextStep(policy, { ...failure, attempts: 1 })).toEqual({ step: 'resume-again' });
    expect(nextStep(policy, { ...failure, attempts: 2 })).toEqual({ step: 'throw', kind: 'unresumable' });
  });
});

describe('whether a fallback is allowed', () => {
  it.each([
    [{}, 'missing', true],
    [{}, 'locked', false],
    [{}, 'timeout', false],
    [{ enableFallback: false }, 'missing', false],
    [{ maxRetries: 0 }, 'missing', false],
    [{ fallbackOn: ['locked'] }, 'missing', false],
    [{ fallbackOn: ['locked'] }, 'locked', true],
  ] as const)('%o, %s: %s', (changes, kind, allowed) => {
    expect(allowsFallback({ ...defaultResumePolicy, ...changes }, kind)).toBe(allowed);
  });
});
