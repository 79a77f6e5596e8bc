import { base64Spellings, characterSpellings } from './character-spellings.ts';
import type { Secret } from './redactor.ts';

/** What stands in the place of a secret. */
export const redactedText = '[redacted]';

/** Random values from this length on gave no false hit on 10 MB of real traffic. */
const shortestExplicit = 6;
/** A value that is only taken for a secret because of its variable's name has to be more distinctive. */
const shortestByName = 8;
/** No passphrase that deserves the name is this short and only made of words. */
const longestPlainWord = 20;

/** Words such as `claude` or `read-only` are everywhere in an agent's output: hiding them would hide the facts. */
export function isPlainWord(value: string): boolean {
  const word = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_. ](?:[A-Z]?[a-z]+|[A-Z]+))*$/;
  return value.length <= longestPlainWord && word.test(value);
}

/** A value that is only hidden where its name stands before it. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** A text, character by character, each in every way in which it may be written, the longest first. */
export type SpelledText = readonly (readonly string[])[];

export interface SecretVariants {
  /** Hidden wherever they occur; the longest first, so that none is cut short by a part of itself. */
  readonly anywhere: readonly SpelledText[];
  readonly named: readonly NamedValue[];
}

/** Every spelling in which the secrets may turn up in a log. */
export function secretVariants(secrets: Iterable<Secret>): SecretVariants {
  const anywhere = new Map<string, SpelledText>();
  const named = new Map<string, NamedValue>();
  for (const { value, name, origin } of secrets) {
    const shortest = origin === 'explicit' ? shortestExplicit : shortestByName;
    const distinctive = (text: string) =>
      text.length >= shortest && (origin === 'explicit' || !isPlainWord(text));
    for (const part of secretParts(value)) {
      if (distinctive(part)) {
        anywhere.set(part, spelled(part));
        for (const text of base64Texts(part))
          if (!anywhere.has(text)) anywhere.set(text, spelledBase64(text));
      } else if (name !== undefined && name !== '' && !/[\r\n]/.test(part)) {
        named.set(`${name}=${part}`, { name, value: part });
      }
    }
  }
  for (const text of anywhere.keys()) if (redactedText.includes(text)) anywhere.delete(text);
  return {
    anywhere: [...anywhere.values()].sort((a, b) => b.length - a.length),
    named: [...named.values()],
  };
}

/** The value, what follows a scheme such as `Bearer`, and each line of a key file: logs are cut at line ends. */
function secretParts(value: string): Set<string> {
  const parts = new Set<string>();
  for (const text of [value, ...value.split(/[\r\n]+/)]) {
    const trimmed = text.trim();
    if (trimmed === '') continue;
    parts.add(trimmed);
    const credentials = /^(?:bearer|basic|token)\s+(\S.*)$/is.exec(trimmed)?.[1];
    if (credentials !== undefined) parts.add(credentials);
  }
  return parts;
}

/** Backslashes in a row are escaped together: one by one, a long row could be read in thousands of ways. */
const spelled = (text: string): SpelledText => (text.match(/\\+|[^\\]/gu) ?? []).map(characterSpellings);
const spelledBase64 = (text: string): SpelledText => Array.from(text, base64Spellings);

/** Shorter ones could be a part of any other base64. */
const shortestBase64 = 7;
const bitsPerCharacter = 6;

/**
 * The base64 of the text alone, and what is always the same of it where something stands before and after, as in
 * `Basic` credentials: three bytes become four characters, so there are three ways to begin.
 */
function base64Texts(text: string): string[] {
  const bytes = Buffer.from(text);
  // Without the padding, which may be missing: what it leaves visible says nothing.
  const alone = bytes.toString('base64').replace(/=+$/, '');
  const within = [0, 1, 2].map((before) => {
    const from = Math.ceil((before * 8) / bitsPerCharacter);
    const to = Math.floor(((before + bytes.length) * 8) / bitsPerCharacter);
    return Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(from, to);
  });
  return [alone, ...within.filter(({ length }) => length >= shortestBase64)];
}
