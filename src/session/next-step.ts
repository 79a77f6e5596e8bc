import type { ResumeFailureKind } from '../errors/resume-failed-error.ts';
import type { ResumePolicy } from './resume-policy.ts';

/** What `session/list` says about the id: `unknown` where it is not advertised or failed. */
export type Listing = 'listed' | 'absent' | 'unknown';

export type NextStep =
  | { readonly step: 'resume-again' }
  | { readonly step: 'open-fresh'; readonly kind: ResumeFailureKind }
  | { readonly step: 'throw'; readonly kind: ResumeFailureKind };

/** How often a locked session is tried again before it is given up: the old holder may just be ending. */
const lockedAttempts = 4;

/**
 * What follows a resume that failed: another attempt, a fresh session, or the error. "It does not exist" is only
 * believed when nothing contradicts it; a listed session exists, whatever an error said.
 */
export function nextStep(
  policy: Pick<ResumePolicy, 'enableFallback' | 'fallbackOn' | 'maxRetries'>,
  failure: { readonly kind: ResumeFailureKind; readonly attempts: number; readonly listing: Listing },
): NextStep {
  const { kind, attempts, listing } = failure;
  if (kind === 'locked' && attempts < lockedAttempts) return { step: 'resume-again' };
  const confirmed = confirmedKind(kind, listing);
  const worthAnother =
    (kind === 'missing' && listing === 'listed') || (kind === 'unproven' && listing !== 'absent');
  if (worthAnother && attempts < 2) return { step: 'resume-again' };
  return { step: allowsFallback(policy, confirmed) ? 'open-fresh' : 'throw', kind: confirmed };
}

/** Whether a failure of this kind may lead to a fresh session. */
export function allowsFallback(
  policy: Pick<ResumePolicy, 'enableFallback' | 'fallbackOn' | 'maxRetries'>,
  kind: ResumeFailureKind,
): boolean {
  return policy.enableFallback && policy.maxRetries > 0 && policy.fallbackOn.includes(kind);
}

function confirmedKind(kind: ResumeFailureKind, listing: Listing): ResumeFailureKind {
  if (kind === 'missing') return listing === 'listed' ? 'unresumable' : 'missing';
  if (kind === 'unproven') return listing === 'absent' ? 'missing' : 'unresumable';
  return kind;
}
