import { beginningSource, exactly, some, wholeSource, word, type Step } from './pattern-steps.ts';
import { isPlainWord, redactedText, type NamedValue } from './secret-variants.ts';
import type { TextMatcher } from './text-matcher.ts';

/** What a secret looks like that nobody told us about. No rule goes over the end of a line. */
interface Rule {
  /** Stays readable. */
  readonly keep: readonly Step[];
  readonly hide: readonly Step[];
  /** Hides plain words as well: what stands before leaves no doubt. */
  readonly evenWords?: boolean;
  /** What must not stand before it: the characters of a class, as in a RegExp. */
  readonly notAfter?: string;
  /** What must, or must not, follow: a RegExp's lookahead for one character. */
  readonly followedBy?: string;
}

const quotes = some('"\'\\\\ \\t', 0, 8);
const separator = [quotes, some('=:', 1, 1), quotes];
const value = some('^\\s"\'\\\\,;&<>', 8);
const tokenCharacters = 'A-Za-z0-9_\\-';
const tokenPart = some(tokenCharacters, 8);
const letterOrDigit = 'A-Za-z0-9';
const dot = exactly('.');

const secretName = word(
  'authorization',
  ...['api-key', 'apikey', '_key', '_token', '-token'],
  ...['secret', 'password', 'passwd', 'passphrase'],
);
const tokenBeginning = exactly(
  ...['sk-', 'sk_live_', 'ghp_', 'gho_', 'ghs_', 'github_pat_', 'glpat-', 'xoxb-', 'xoxp-', 'AIza'],
);

const rules: readonly Rule[] = [
  {
    keep: [word('authorization'), ...separator, word('bearer', 'basic', 'token'), some(' ', 1, 3)],
    hide: [value],
    evenWords: true,
  },
  { keep: [word('bearer', 'basic'), some(' ', 1, 3)], hide: [value], notAfter: letterOrDigit },
  { keep: [secretName, ...separator], hide: [value] },
  { keep: [word('cookie'), ...separator], hide: [some('^\\r\\n"', 8)] },
  { keep: [some('?&', 1, 1), word('key', 'token', 'sig', 'signature'), exactly('=')], hide: [value] },
  {
    // The password in a URL.
    keep: [exactly('://'), some('^\\s/:@"\'', 0, 128), exactly(':')],
    hide: [some('^\\s/@"\'', 1, 512)],
    evenWords: true,
    followedBy: '(?=@)',
  },
  { keep: [], hide: [tokenBeginning, some(tokenCharacters, 16)], notAfter: letterOrDigit },
  // A JSON web token. Begun anywhere in a run of such characters, it would be looked for from each of them.
  { keep: [], hide: [exactly('eyJ'), tokenPart, dot, tokenPart, dot, tokenPart], notAfter: tokenCharacters },
];

/** Of a match that is not complete. Looking further back would cost the square of the length of a hostile line. */
const longestBeginning = 2 * 1024;

const notAfter = (rule: Rule) => (rule.notAfter === undefined ? '' : `(?<![${rule.notAfter}])`);

/** As it is, and as it stands in JSON, and in JSON within JSON. */
function spellingsInJson(text: string): string[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  return [...new Set([text, escaped, JSON.stringify(escaped).slice(1, -1)])];
}

/** Hides values that stand after their own name, and whatever looks like a secret. */
export function patternMatcher(named: readonly NamedValue[]): TextMatcher {
  const namedRules = named.flatMap(({ name, value: namedValue }) => {
    const rule = {
      hide: [exactly(...spellingsInJson(namedValue))],
      evenWords: true,
      notAfter: 'A-Za-z0-9_',
      followedBy: '(?![A-Za-z0-9_])',
    };
    return [
      { ...rule, keep: [exactly(name), ...separator] },
      // As ACP writes the variables of MCP servers: `{"name":"PIN","value":"1234"}`.
      { ...rule, keep: [exactly(name), quotes, exactly(','), quotes, exactly('value'), ...separator] },
    ];
  });
  const all: readonly Rule[] = [...namedRules, ...rules];
  const whole = all.map(
    (rule) =>
      `${notAfter(rule)}(${wholeSource(rule.keep)})(${wholeSource(rule.hide)})${rule.followedBy ?? ''}`,
  );
  const beginnings = all.map((rule) => `${notAfter(rule)}${beginningSource([...rule.keep, ...rule.hide])}`);
  const beginning = new RegExp(beginnings.join('|'), 'g');
  return {
    expression: new RegExp(whole.join('|'), 'g'),
    replacement: ([text, ...groups]) => {
      const first = groups.findIndex((group) => group !== undefined);
      const [kept = '', hidden = ''] = groups.slice(first);
      const rule = all[first / 2];
      return rule?.evenWords !== true && isPlainWord(hidden) ? (text ?? '') : kept + redactedText;
    },
    matchesGrow: true,
    pendingFrom: (text, from) => {
      beginning.lastIndex = Math.max(from, text.lastIndexOf('\n') + 1, text.length - longestBeginning);
      return beginning.exec(text)?.index ?? text.length;
    },
  };
}
