import type { Redactor } from './redactor.ts';

/** What lies deeper is left out: an agent could nest until the stack overflows. */
const deepest = 100;

/** A copy of plain JSON without secrets: in its texts, and in the names of its members. */
export function redactJson(value: unknown, redactor: Pick<Redactor, 'redact'>, depth = 0): unknown {
  if (typeof value === 'string') return redactor.redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return '…';
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redactor, depth + 1));
  const members = Object.entries(value).map(([name, member]) => [
    redactor.redact(name),
    // `{ "PIN": "1234" }`: a short value is known by its name.
    typeof member === 'string'
      ? redactNamed(name, member, redactor)
      : redactJson(member, redactor, depth + 1),
  ]);
  return Object.fromEntries(members) as unknown;
}

function redactNamed(name: string, value: string, redactor: Pick<Redactor, 'redact'>): string {
  const beginning = `${name}=`;
  const redacted = redactor.redact(beginning + value);
  return redacted.startsWith(beginning) ? redacted.slice(beginning.length) : redactor.redact(value);
}
