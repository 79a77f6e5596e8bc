import type { RpcErrorFacts } from '../errors/acp-launcher-error.ts';

/** A text in an agent's error. */
export interface SaidText {
  readonly source: 'message' | 'data';
  /** On one line; in `data`, behind the names of the fields that it stands in: `cwd: not found`. */
  readonly text: string;
}

/** An error may hold megabytes; what says why stands at its start. */
const longestText = 2_000;
const mostTexts = 50;
const deepest = 6;

/** Fields that only say that what follows is a text. */
const neutralFields = new Set(
  'details detail message error errors reason description cause stderr text data'.split(' '),
);

/** Every text in the error: its message, and what `data` holds as a string, an array or an object. */
export function saidTexts(rpc: RpcErrorFacts): SaidText[] {
  const texts: SaidText[] = [];
  addTexts(texts, 'message', rpc.message, [], 0);
  addTexts(texts, 'data', rpc.data, [], 0);
  return texts;
}

/** The error as one line, for people. */
export function describeSaid(rpc: RpcErrorFacts): string {
  return oneLine(
    saidTexts(rpc)
      .map(({ text }) => text)
      .join(': '),
  );
}

export function oneLine(text: string, longest = 300): string {
  const line = text
    .slice(0, 2 * longest)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

function addTexts(
  texts: SaidText[],
  source: SaidText['source'],
  value: unknown,
  fields: readonly string[],
  depth: number,
): void {
  if (texts.length >= mostTexts) return;
  if (typeof value === 'string') {
    if (value.trim() === '') return;
    const text = fields.length === 0 ? value : `${fields.join('.')}: ${value.slice(0, longestText)}`;
    texts.push({ source, text: oneLine(text, longestText) });
    return;
  }
  if (typeof value !== 'object' || value === null || depth === deepest) return;
  for (const [field, entry] of Object.entries(value)) {
    const isNeutral = Array.isArray(value) || neutralFields.has(field);
    addTexts(texts, source, entry, isNeutral ? fields : [...fields, field], depth + 1);
  }
}
