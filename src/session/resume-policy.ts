import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { ResumeEvidence, ResumeFailureKind } from '../errors/resume-failed-error.ts';

/** Text that says something about a failed resume, and where it may be looked for. */
export interface ResumeKeyword {
  /** A string matches anywhere, whatever its case. */
  readonly pattern: string | RegExp;
  readonly kind: 'missing' | 'locked' | 'unproven';
  readonly lookIn: readonly ('message' | 'data' | 'stderr')[];
}

/** The verdict on one failed attempt to resume. */
export type ResumeVerdict =
  /** It had nothing to do with the session: the error is thrown, and the session stays resumable. */
  | { readonly action: 'throw'; readonly evidence: ResumeEvidence }
  | { readonly action: 'failed'; readonly kind: ResumeFailureKind; readonly evidence: ResumeEvidence };

/** How a session is resumed, and what happens when that fails. */
export interface ResumePolicy {
  /** `false`: a resume that failed or was ignored is an error, never a silent new session. @defaultValue true */
  readonly enableFallback: boolean;
  /** How many fresh attempts may follow a failed resume; a further one is only made when the agent died. @defaultValue 1 */
  readonly maxRetries: number;
  /** Whether the fresh session keeps the MCP servers. @defaultValue true */
  readonly preserveMcpServers: boolean;
  /** Text that marks a resume failure; replaces {@link defaultResumeKeywords}. */
  readonly keywords: readonly ResumeKeyword[];
  /** The kinds of failure that lead to a fresh session. @defaultValue missing, unresumable, unsupported */
  readonly fallbackOn: readonly ResumeFailureKind[];
  /** The caller's own verdict, given ours; it may overrule everything but the caller's abort. */
  readonly classify?:
    ((attempt: FailedResume, verdict: ResumeVerdict) => ResumeVerdict | undefined) | undefined;
  /**
   * `meta`: `session/new` with the id in `_meta`. `native`: `session/resume`, else `session/load`, as the agent
   * advertises, else meta. Unset: the preset's own strategy, else `meta`.
   */
  readonly strategy?: 'meta' | 'native' | undefined;
}

/** What is known about an attempt to resume that failed. */
export interface FailedResume {
  readonly sessionId: string;
  readonly method: string;
  readonly error: unknown;
  /** What the agent wrote to stderr after the request was sent. */
  readonly stderrLines: readonly string[];
}

/**
 * The default keywords. The rows of kind `missing` were seen on real agents, and never on other failures; those of
 * kind `unproven` appear on start failures as well, so they only count after a fresh attempt that worked.
 */
export const defaultResumeKeywords: readonly ResumeKeyword[] = [
  { pattern: 'no conversation found', kind: 'missing', lookIn: ['message', 'data', 'stderr'] },
  {
    pattern:
      /\bsession(?: id| with id)?[:\s]*["'`<]?[\w:.-]*["'`>]?\s+(?:was |is |could )?not (?:be )?found/i,
    kind: 'missing',
    lookIn: ['message', 'data', 'stderr'],
  },
  { pattern: /\bno rollout found/i, kind: 'missing', lookIn: ['message', 'data', 'stderr'] },
  { pattern: /\bunknown session(?:\s?id)?\b/i, kind: 'missing', lookIn: ['message', 'data', 'stderr'] },
  {
    pattern: /\binvalid session(?: id| identifier)?\b/i,
    kind: 'missing',
    lookIn: ['message', 'data', 'stderr'],
  },
  { pattern: 'no previous sessions found', kind: 'missing', lookIn: ['message', 'data', 'stderr'] },
  { pattern: 'requires a valid session id', kind: 'missing', lookIn: ['message', 'data', 'stderr'] },
  {
    pattern: /\balready open\b|\bopen in another process\b|\blocked\b/i,
    kind: 'locked',
    lookIn: ['message', 'data'],
  },
  { pattern: 'query closed before response received', kind: 'unproven', lookIn: ['message', 'data'] },
  { pattern: /\bexited with code \d+/i, kind: 'unproven', lookIn: ['message', 'data'] },
  { pattern: 'ENOENT', kind: 'unproven', lookIn: ['message', 'data'] },
  { pattern: 'session', kind: 'unproven', lookIn: ['message', 'data'] },
];

export const defaultResumePolicy: ResumePolicy = Object.freeze({
  enableFallback: true,
  maxRetries: 1,
  preserveMcpServers: true,
  keywords: defaultResumeKeywords,
  fallbackOn: ['missing', 'unresumable', 'unsupported'] as const,
});

/**
 * The policy with its defaults.
 *
 * @throws AcpLauncherError `invalid-config` naming the field.
 */
export function resolveResumePolicy(input: Partial<ResumePolicy>): ResumePolicy {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const policy: ResumePolicy = { ...defaultResumePolicy, ...Object.fromEntries(given) };
  const { enableFallback, maxRetries, preserveMcpServers, keywords, fallbackOn, strategy, classify } = policy;
  const problems: readonly (readonly [boolean, keyof ResumePolicy, string])[] = [
    [typeof enableFallback === 'boolean', 'enableFallback', 'must be true or false'],
    [Number.isInteger(maxRetries) && maxRetries >= 0, 'maxRetries', 'must be a whole number, 0 or more'],
    [typeof preserveMcpServers === 'boolean', 'preserveMcpServers', 'must be true or false'],
    [
      Array.isArray(keywords) && keywords.every(isKeyword),
      'keywords',
      'must be a list of { pattern, kind, lookIn }',
    ],
    [Array.isArray(fallbackOn), 'fallbackOn', 'must be a list of kinds'],
    [[undefined, 'meta', 'native'].includes(strategy), 'strategy', 'must be "meta" or "native"'],
    [classify === undefined || typeof classify === 'function', 'classify', 'must be a function'],
  ];
  const wrong = problems.find(([valid]) => !valid);
  if (wrong === undefined) return policy;
  const field = `resumePolicy.${wrong[1]}`;
  throw new AcpLauncherError('invalid-config', `${field}: ${wrong[2]}`, { phase: 'config', field });
}

function isKeyword(value: ResumeKeyword): boolean {
  const { pattern, lookIn } = value as Partial<ResumeKeyword>;
  return (typeof pattern === 'string' || pattern instanceof RegExp) && Array.isArray(lookIn);
}

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
