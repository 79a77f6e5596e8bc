/** Everything that escapes leaves them as they are. */
const neverEscaped = /^[A-Za-z0-9]$/;
/** What shells and languages put a backslash before, besides what JSON does. */
const quoted = /^["'`$/\\]$/;

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

/** How one character of a secret, or several of the same, may be written in a log; the longest first. */
export function characterSpellings(character: string): readonly string[] {
  if (neverEscaped.test(character)) return [character];
  const spellings = new Set([character]);
  const inUrl = percentEncoded(character);
  spellings.add(inUrl).add(inUrl.toLowerCase());
  // A form's space.
  if (character === ' ') spellings.add('+');
  // JSON as most write it; escaped where it need not be (`\/`); all but ASCII, or but letters, as `\u…`; what is not
  // a mistake in JSON is not one in the string of a language either.
  const escaped = [inJson(character), unicodeEscaped(character, 'lower'), unicodeEscaped(character, 'upper')];
  if (quoted.test(character)) escaped.push(`\\${character}`);
  // Within single quotes in a shell.
  if (character === "'") escaped.push("'\\''");
  for (const once of escaped) {
    const twice = inJson(once);
    spellings.add(once).add(twice).add(inJson(twice));
  }
  return [...spellings].sort((a, b) => b.length - a.length);
}

/** As {@link characterSpellings}, of base64, which has another alphabet for URLs. */
export function base64Spellings(character: string): readonly string[] {
  if (character === '+') return [...characterSpellings('+'), '-'];
  if (character === '/') return [...characterSpellings('/'), '_'];
  return characterSpellings(character);
}

function percentEncoded(character: string): string {
  const bytes = [...Buffer.from(character)];
  return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
}

function unicodeEscaped(character: string, letters: 'lower' | 'upper'): string {
  const units = Array.from({ length: character.length }, (_, index) => {
    const digits = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${letters === 'upper' ? digits.toUpperCase() : digits}`;
  });
  return units.join('');
}
