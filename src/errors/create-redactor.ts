import { escapeForRegExp } from './pattern-steps.ts';
import type { Redactor, Secret } from './redactor.ts';
import { patternMatcher } from './secret-patterns.ts';
import { redactedText, secretVariants, type SpelledText } from './secret-variants.ts';
import { MatchStream, replaceMatches, type TextMatcher } from './text-matcher.ts';

/**
 * Hides the given secrets, in every spelling that logs give them (JSON-escaped up to three times, URL-encoded, as
 * base64, line by line), and after them whatever looks like a secret: authorization headers, passwords in URLs,
 * values assigned to names such as `*_TOKEN`, tokens with a well-known beginning.
 *
 * Short values and plain words are only hidden where their name stands before them: they occur everywhere.
 */
export function createRedactor(secrets: Iterable<Secret>): Redactor {
  const { anywhere, named } = secretVariants(secrets);
  // One after the other: a pattern that ends in the middle of a known secret would leave the rest of it readable.
  const matchers = [...(anywhere.length === 0 ? [] : [literalMatcher(anywhere)]), patternMatcher(named)];
  return {
    redact: (text) => matchers.reduce((redacted, matcher) => replaceMatches(matcher, redacted), text),
    stream: () => {
      const streams = matchers.map((matcher) => new MatchStream(matcher));
      return {
        push: (chunk) => streams.reduce((text, stream) => stream.push(text), chunk),
        flush: () => streams.reduce((text, stream) => stream.push(text) + stream.flush(), ''),
      };
    },
  };
}

/** `variants`: the longest first. */
function literalMatcher(variants: readonly SpelledText[]): TextMatcher {
  const byFirstCharacter = new Map<string, SpelledText[]>();
  for (const variant of variants) {
    for (const first of new Set(variant[0]?.map((spelling) => spelling.charAt(0)))) {
      byFirstCharacter.set(first, [...(byFirstCharacter.get(first) ?? []), variant]);
    }
  }
  const longest = Math.max(...variants.map(longestSpelling));
  return {
    expression: new RegExp(variants.map(source).join('|'), 'g'),
    replacement: () => redactedText,
    matchesGrow: false,
    pendingFrom: (text, from) => {
      for (let start = Math.max(from, text.length - longest + 1); start < text.length; start += 1) {
        const candidates = byFirstCharacter.get(text.charAt(start));
        if (candidates?.some((variant) => isBeginning(text, start, variant)) === true) return start;
      }
      return text.length;
    },
  };
}

/** The spellings of a character begin with the longest. */
const longestSpelling = (variant: SpelledText) =>
  variant.reduce((sum, spellings) => sum + (spellings[0]?.length ?? 0), 0);

function source(variant: SpelledText): string {
  return variant
    .map((spellings) => spellings.map(escapeForRegExp))
    .map((sources) => (sources.length === 1 ? sources[0] : `(?:${sources.join('|')})`))
    .join('');
}

/** Whether all of `text` from `start` on is a beginning of `variant`, and more is needed or could be taken. */
function isBeginning(text: string, start: number, variant: SpelledText): boolean {
  let reached = [start];
  for (const spellings of variant) {
    const next = new Set<number>();
    for (const position of reached) {
      for (const spelling of spellings) {
        const left = text.length - position;
        if (left < spelling.length && spelling.startsWith(text.slice(position))) return true;
        if (text.startsWith(spelling, position)) next.add(position + spelling.length);
      }
    }
    if (next.size === 0) return false;
    reached = [...next];
  }
  return false;
}
