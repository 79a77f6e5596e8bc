/** Text that says something about a failed resume, and where it may be looked for. */
export interface ResumeKeyword {
  /** A string matches anywhere, whatever its case. */
  readonly pattern: string | RegExp;
  readonly kind: 'missing' | 'locked' | 'unproven';
  /** Stderr is only read for the kind `missing`. */
  readonly lookIn: readonly ('message' | 'data' | 'stderr')[];
}

const everywhere = ['message', 'data', 'stderr'] as const;
const inTheAnswer = ['message', 'data'] as const;

/** `session <id> was not found`, `Session not found: <id>`, `conversation "x" does not exist`. */
const sessionNotFound =
  /\b(?:session|conversation)(?:[ _]?id)?(?: with id)?\s?[:=]?\s?["'`<(]?[\w:.-]*["'`>)]?\s?(?:(?:was |is |could |can)?not (?:be )?found|(?:does not|doesn't|no longer) exists?)/i;

/**
 * The default keywords. The rows of kind `missing` were seen on real agents, and never on other failures; those of
 * kind `unproven` appear on start failures as well, so they only count after a fresh attempt that worked. Besides
 * them, `ENOENT` on a path that names the session always means `missing`.
 */
export const defaultResumeKeywords: readonly ResumeKeyword[] = Object.freeze<ResumeKeyword[]>([
  { pattern: 'no conversation found', kind: 'missing', lookIn: everywhere },
  { pattern: sessionNotFound, kind: 'missing', lookIn: everywhere },
  { pattern: 'no rollout found', kind: 'missing', lookIn: everywhere },
  { pattern: /\bunknown (?:session|conversation)(?:\s?id)?\b/i, kind: 'missing', lookIn: everywhere },
  {
    pattern:
      /\binvalid session(?: ?id(?:entifier)?| identifier)?\b(?! (?:token|cookie|key|config|option|mode))/i,
    kind: 'missing',
    lookIn: everywhere,
  },
  {
    pattern: /\bno (?:such|previous|saved|matching|existing) (?:session|conversation)s?\b/i,
    kind: 'missing',
    lookIn: everywhere,
  },
  {
    pattern:
      /\b(?:could not|couldn't|cannot|can't|unable to|failed to) find (?:the |a |any )?(?:session|conversation)\b/i,
    kind: 'missing',
    lookIn: everywhere,
  },
  { pattern: 'requires a valid session id', kind: 'missing', lookIn: everywhere },
  {
    pattern: /\balready (?:open|in use)\b|\bopen in another (?:process|client|window)\b|\blocked\b/i,
    kind: 'locked',
    lookIn: inTheAnswer,
  },
  { pattern: 'query closed before response received', kind: 'unproven', lookIn: inTheAnswer },
  { pattern: /\bexited with code \d+/i, kind: 'unproven', lookIn: inTheAnswer },
  { pattern: 'ENOENT', kind: 'unproven', lookIn: inTheAnswer },
  { pattern: 'session', kind: 'unproven', lookIn: inTheAnswer },
]);

/** Whether a value that a caller gave is a keyword. */
export function isResumeKeyword(value: unknown): value is ResumeKeyword {
  const { pattern, kind, lookIn } = (value ?? {}) as Record<string, unknown>;
  const places: readonly unknown[] = everywhere;
  return (
    (pattern instanceof RegExp || (typeof pattern === 'string' && pattern !== '')) &&
    ['missing', 'locked', 'unproven'].includes(kind as string) &&
    Array.isArray(lookIn) &&
    lookIn.every((place) => places.includes(place))
  );
}

/** The first keyword of this kind that the text holds. */
export function matchKeyword(
  keywords: readonly ResumeKeyword[],
  kind: ResumeKeyword['kind'],
  source: ResumeKeyword['lookIn'][number],
  text: string,
): ResumeKeyword | undefined {
  return keywords.find(
    (keyword) => keyword.kind === kind && keyword.lookIn.includes(source) && matches(keyword.pattern, text),
  );
}

function matches(pattern: string | RegExp, text: string): boolean {
  if (typeof pattern === 'string') return text.toLowerCase().includes(pattern.toLowerCase());
  // A global or sticky RegExp remembers where it stopped: the same text would match every other time.
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(text);
}
