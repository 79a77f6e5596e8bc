import { escapeForRegExp } from './pattern-steps.ts';
import type { Redactor, Secret } from './redactor.ts';
import { patternMatcher } from './secret-patterns.ts';
import { redactedText, secretVariants } from './secret-variants.ts';
import { MatchStream, replaceMatches, type TextMatcher } from './text-matcher.ts';

/**
 * Hides the given secrets, in every spelling that logs give them (JSON-escaped once and twice, URL-encoded, base64,
 * line by line), and after them whatever looks like a secret: authorization headers, passwords in URLs, values
 * assigned to names such as `*_TOKEN`, tokens with a well-known beginning.
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
function literalMatcher(variants: readonly string[]): TextMatcher {
  const byFirstCharacter = new Map<string, string[]>();
  for (const variant of variants) {
    const first = variant.charAt(0);
    byFirstCharacter.set(first, [...(byFirstCharacter.get(first) ?? []), variant]);
  }
  const longest = variants[0]?.length ?? 0;
  return {
    expression: new RegExp(variants.map(escapeForRegExp).join('|'), 'g'),
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

/** Whether all of `text` from `start` on is a beginning of `variant`, and more is needed. */
function isBeginning(text: string, start: number, variant: string): boolean {
  return text.length - start < variant.length && variant.startsWith(text.slice(start));
}
