/** Finds and replaces text, and knows where text that is still to come could change the outcome. */
export interface TextMatcher {
  /** With the `g` flag. */
  readonly expression: RegExp;
  readonly replacement: (match: readonly (string | undefined)[]) => string;
  /** Where, from `from` on, the first match begins that more text could complete or lengthen; else the text's end. */
  readonly pendingFrom: (text: string, from: number) => number;
}

interface Replaced {
  readonly output: string;
  /** Up to where the text was decided. */
  readonly end: number;
}

/** Replaces from `from` on, as far as `limit` says that the outcome is decided. */
function replaceFrom(
  { expression, replacement }: TextMatcher,
  text: string,
  from: number,
  limit: (position: number) => number,
): Replaced {
  let output = '';
  let position = from;
  let end = limit(position);
  expression.lastIndex = position;
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    if (match.index >= end) break;
    output += text.slice(position, match.index) + replacement(match);
    position = match.index + match[0].length;
    // What seemed undecided lies inside this match, which began before it and stands.
    if (position > end) end = limit(position);
  }
  return { output: output + text.slice(position, end), end };
}

/** Replaces in a complete text. */
export function replaceMatches(matcher: TextMatcher, text: string): string {
  return replaceFrom(matcher, text, 0, () => text.length).output;
}

/** Only a token of absurd length is undecided for longer than this; it is let go in pieces, each one replaced. */
const longestHeld = 32 * 1024;

/** Replaces in a text that arrives in pieces, as if it were one. */
export class MatchStream {
  readonly #matcher: TextMatcher;
  /** What is undecided, after one decided character for expressions that look back. */
  #held = '';
  #undecidedFrom = 0;

  constructor(matcher: TextMatcher) {
    this.#matcher = matcher;
  }

  push(chunk: string): string {
    const text = this.#held + chunk;
    const { pendingFrom } = this.#matcher;
    const limit = (position: number) => {
      const pending = pendingFrom(text, position);
      return text.length - pending > longestHeld ? text.length : pending;
    };
    return this.#replace(text, limit);
  }

  flush(): string {
    const text = this.#held;
    return this.#replace(text, () => text.length);
  }

  #replace(text: string, limit: (position: number) => number): string {
    const { output, end } = replaceFrom(this.#matcher, text, this.#undecidedFrom, limit);
    const keptFrom = Math.max(0, end - 1);
    this.#held = text.slice(keptFrom);
    this.#undecidedFrom = end - keptFrom;
    return output;
  }
}
