import type { SaidText } from './said-texts.ts';

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
/** What stands where the id of a session would: a word with a digit in it. */
const idBehindSession =
  /\b(?:session|conversation|thread)(?:[ _]?id)?(?: with id)?\s?[:=]?\s?["'`<(]?(?=[\w-]*\d)[\w-]{6,}/i;
/** Long words with digits are ids in such texts, wherever they stand. */
const longId = /(?<![\w./-])(?=[\w-]*\d)[\w-]{16,}(?![\w./-])/;

/** Whether the text names this very id, and not only one that holds it. */
export function mentions(text: string, id: string): boolean {
  // An empty text is found everywhere, and behind the end for ever.
  if (id === '') return false;
  const isPartOfWord = (index: number) => /[\w-]/.test(text.charAt(index));
  for (let at = text.indexOf(id); at !== -1; at = text.indexOf(id, at + 1)) {
    if (!isPartOfWord(at - 1) && !isPartOfWord(at + id.length)) return true;
  }
  return false;
}

/** Whether the text is about another session than this one. */
export function mentionsAnother(text: string, id: string): boolean {
  return !mentions(text, id) && [uuid, idBehindSession, longId].some((pattern) => pattern.test(text));
}

const location = /(?:^|[\s"'(])(?:[a-z][a-z\d+.-]*:\/\/|\/)\S/i;
const namesNothing =
  /^(?:(?:the )?(?:requested )?(?:resource|session|conversation|thread)?\s?(?:was )?not found|internal error|server error|error)?[.!]?$/i;

/** What a "resource not found" is about: this session, a file or address, nothing that it names, or something else. */
export function missingResource(
  texts: readonly SaidText[],
  id: string,
): 'this-session' | 'location' | 'unnamed' | 'other' {
  if (texts.some(({ text }) => mentions(text, id))) return 'this-session';
  if (texts.some(({ text }) => location.test(text))) return 'location';
  return texts.every(({ text }) => namesNothing.test(text)) ? 'unnamed' : 'other';
}
