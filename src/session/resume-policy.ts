import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import {
  resumeFailureKinds,
  type ResumeEvidence,
  type ResumeFailureKind,
} from '../errors/resume-failed-error.ts';
import { defaultResumeKeywords, isResumeKeyword, type ResumeKeyword } from './resume-keywords.ts';

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
  /**
   * The caller's own verdict, given ours; it may overrule everything but the caller's abort. `attempt.method` is
   * `session/prompt` where the first prompt after a resume failed: `missing` then means that it was not executed, and
   * it is sent once more.
   */
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

export const defaultResumePolicy: ResumePolicy = Object.freeze({
  enableFallback: true,
  maxRetries: 1,
  preserveMcpServers: true,
  keywords: defaultResumeKeywords,
  fallbackOn: ['missing', 'unresumable', 'unsupported'] as const,
});

const fields = new Set<string>([...Object.keys(defaultResumePolicy), 'classify', 'strategy']);

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
      Array.isArray(keywords) && keywords.every(isResumeKeyword),
      'keywords',
      'must be a list of { pattern, kind, lookIn }',
    ],
    [
      Array.isArray(fallbackOn) &&
        fallbackOn.every((kind: unknown) => resumeFailureKinds.includes(kind as ResumeFailureKind)),
      'fallbackOn',
      `must be a list of kinds: ${resumeFailureKinds.join(', ')}`,
    ],
    [[undefined, 'meta', 'native'].includes(strategy), 'strategy', 'must be "meta" or "native"'],
    [classify === undefined || typeof classify === 'function', 'classify', 'must be a function'],
  ];
  const unknown = Object.keys(policy).find((name) => !fields.has(name));
  if (unknown !== undefined) throw invalidPolicy(unknown, 'is no field of a resume policy');
  const wrong = problems.find(([valid]) => !valid);
  if (wrong !== undefined) throw invalidPolicy(wrong[1], wrong[2]);
  return policy;
}

function invalidPolicy(name: string, problem: string): AcpLauncherError {
  const field = `resumePolicy.${name}`;
  return new AcpLauncherError('invalid-config', `${field}: ${problem}`, { phase: 'config', field });
}
