import type { TextMatcher } from '../errors/text-matcher.ts';

// Until the line's end at most: an unterminated string must not swallow the rest of the output.
const controlString = '\\x1b[\\]PX^_][^\\x07\\x1b\\n]*';
const controlSequence = '\\x1b\\[[0-?]*[ -/]*';
const otherEscape = '\\x1b[ -/]*';

/** Takes terminal control out of a text: colours, titles, cursor movements. Every kind of line end becomes `\n`. */
export const plainText: TextMatcher = {
  expression: new RegExp(
    [
      '\\r\\n?',
      `${controlString}(?:\\x07|\\x1b\\\\)`,
      `${controlSequence}[@-~]`,
      `${otherEscape}[0-Z\\\\^-~]`,
      '[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]',
    ].join('|'),
    'g',
  ),
  replacement: ([match]) => (match?.startsWith('\r') === true ? '\n' : ''),
  matchesGrow: false,
  pendingFrom: (text, from) => {
    unfinished.lastIndex = from;
    return unfinished.exec(text)?.index ?? text.length;
  },
};

const unfinished = new RegExp(`(?:\\r|${controlString}\\x1b?|${controlSequence}|${otherEscape})$`, 'g');
