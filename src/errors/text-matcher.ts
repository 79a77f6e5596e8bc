/** Finds and replaces text, and knows where text that is still to come could change the outcome. */
export interface TextMatcher {
  /** With the `g` flag. */
  readonly expression: RegExp;
  readonly replacement: (match: readonly (string | undefined)[]) => string;
  /** Whether a match that reaches the text's end could be longer in a longer text. */
  readonly matchesGrow: boolean;
  /** Where, from `from` on, the first match begins that more text could complete or lengthen; else the text's end. */
  readonly pendingFrom: (text: string, from: number) => number;
}

interface Replaced {
  readonly output: string;
  /** Up to where the text was decided. */
  readonly end: number;
}

/** Replaces from `from` on, as far as the outcome is decided; to the end where no more text will come. */
function replaceFrom(matcher: TextMatcher, text: string, from: number, isComplete: boolean): Replaced {
  const { expression, replacement, matchesGrow } = matcher;
  const limit = (position: number) => (isComplete ? text.length : matcher.pendingFrom(text, position));
  let output = '';
  let position = from;
  let end = limit(position);
  expression.lastIndex = position;
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    if (match.index >= end) break;
    const matchEnd = match.index + match[0].length;
    if (matchesGrow && !isComplete && matchEnd === text.length) {
      end = match.index;
      break;
    }
    output += text.slice(position, match.index) + replacement(match);
    position = matchEnd;
    // What seemed undecided lies inside this match, which began before it and stands.
    if (position > end) end = limit(position);
  }
  return { output: output + text.slice(position, end), end };
}

/** Replaces in a complete text. */
export function replaceMatches(matcher: TextMatcher, text: string): string {
  return replaceFrom(matcher, text, 0, true).output;
}

/** Only a token of absurd length is undecided for longer than this; it is let go in pieces, each one replaced. */
const longestHeld = 8 * 1024;

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
    const replaced = replaceFrom(this.#matcher, text, this.#undecidedFrom, false);
    if (text.length - replaced.end <= longestHeld) return this.#keep(text, replaced);
    const { output, end } = replaceFrom(this.#matcher, text, replaced.end, true);
    return this.#keep(text, { output: replaced.output + output, end });
  }

  flush(): string {
    return this.#keep(this.#held, replaceFrom(this.#matcher, this.#held, this.#undecidedFrom, true));
  }

  #keep(text: string, { output, end }: Replaced): string {
    const keptFrom = Math.max(0, end - 1);
    this.#held = text.slice(keptFrom);
    this.#undecidedFrom = end - keptFrom;
    return output;
  }
}
