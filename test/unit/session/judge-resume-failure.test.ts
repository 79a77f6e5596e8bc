import { describe, expect, it, vi } from 'vitest';
import { judgeResumeFailure } from '../../../src/session/judge-resume-failure.ts';
import { defaultResumeKeywords as keywords } from '../../../src/session/resume-keywords.ts';
import { answered, sessionId, unanswered } from './failed-resume.ts';

const lost = answered({ code: -32603, message: `Session ${sessionId} not found` });
const auth = answered({ code: -32000, message: 'Authentication required' });

it('is our verdict where the caller has none', () => {
  expect(judgeResumeFailure(lost, { keywords })).toMatchObject({ action: 'failed', kind: 'missing' });
  const classify = () => undefined;
  expect(judgeResumeFailure(lost, { keywords, classify })).toMatchObject({ kind: 'missing' });
});

describe("the caller's own verdict", () => {
  it('is given the evidence and ours', () => {
    const classify = vi.fn(() => undefined);
    judgeResumeFailure(lost, { keywords, classify });
    expect(classify).toHaveBeenCalledExactlyOnceWith(lost, expect.objectContaining({ kind: 'missing' }));
  });

  it('overrules ours in both directions, and an authentication failure as well', () => {
    const evidence = { source: 'caller', text: 'I know better' } as const;
    const keep = { action: 'throw', evidence } as const;
    expect(judgeResumeFailure(lost, { keywords, classify: () => keep })).toEqual(keep);
    const drop = { action: 'failed', kind: 'locked', evidence } as const;
    expect(judgeResumeFailure(auth, { keywords, classify: () => drop })).toEqual(drop);
  });

  it('rests on our evidence where it names none', () => {
    const classify = () => ({ action: 'throw' }) as never;
    expect(judgeResumeFailure(lost, { keywords, classify })).toEqual({
      action: 'throw',
      evidence: expect.objectContaining({
        source: 'caller',
        text: `Session ${sessionId} not found`,
      }) as unknown,
    });
  });

  it("does not overrule the caller's abort", () => {
    const classify = vi.fn(() => ({ action: 'failed', kind: 'missing' }) as never);
    expect(judgeResumeFailure(unanswered('aborted'), { keywords, classify })).toMatchObject({
      action: 'throw',
    });
    expect(classify).not.toHaveBeenCalled();
  });

  it.each<[string, () => never]>([
    [
      'throws',
      () => {
        throw new Error('bug');
      },
    ],
    ['is no verdict', () => 'missing' as never],
    ['is of a kind that nobody knows', () => ({ action: 'failed', kind: 'lost' }) as never],
    ['is a promise', () => Promise.resolve({ action: 'throw' }) as never],
  ])('is an error of its own where it %s', (_what, classify) => {
    expect(() => judgeResumeFailure(lost, { keywords, classify })).toThrow(
      expect.objectContaining({ code: 'invalid-config', facts: { field: 'resumePolicy.classify' } }) as Error,
    );
  });
});
