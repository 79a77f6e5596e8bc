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

export interface SecretVariants {
  /** Hidden wherever they occur; the longest first, so that none is cut short by a part of itself. */
  readonly anywhere: readonly string[];
  readonly named: readonly NamedValue[];
}

/** Every spelling in which the secrets may turn up in a log. */
export function secretVariants(secrets: Iterable<Secret>): SecretVariants {
  const anywhere = new Set<string>();
  const named = new Map<string, NamedValue>();
  for (const { value, name, origin } of secrets) {
    const shortest = origin === 'explicit' ? shortestExplicit : shortestByName;
    const distinctive = (text: string) =>
      text.length >= shortest && (origin === 'explicit' || !isPlainWord(text));
    for (const part of secretParts(value)) {
      if (distinctive(part)) {
        for (const spelling of spellings(part)) anywhere.add(spelling);
      } else if (name !== undefined && name !== '' && !/[\r\n]/.test(part)) {
        named.set(`${name}=${part}`, { name, value: part });
      }
    }
  }
  for (const variant of anywhere) if (redactedText.includes(variant)) anywhere.delete(variant);
  return { anywhere: [...anywhere].sort((a, b) => b.length - a.length), named: [...named.values()] };
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

function spellings(text: string): string[] {
  const inJson = JSON.stringify(text).slice(1, -1);
  const inJsonTwice = JSON.stringify(inJson).slice(1, -1);
  const bytes = Buffer.from(text);
  // From the bytes: a lone surrogate in the value would throw.
  const inUrl = encodeURIComponent(bytes.toString());
  const inUrlLowerCase = inUrl.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  // Without the padding, which may be missing: what it leaves visible says nothing.
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [text, inJson, inJsonTwice, inUrl, inUrlLowerCase, base64, bytes.toString('base64url')];
}
