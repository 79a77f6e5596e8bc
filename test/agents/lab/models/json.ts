/** Readers for JSON that came from a program we do not control: what does not fit reads as empty. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The text of a string, a content block, or any nesting of blocks, in all four APIs' shapes. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join('\n');
  const block = asObject(value);
  if (typeof block['text'] === 'string') return block['text'];
  return textOf(block['content'] ?? block['parts'] ?? block['output'] ?? '');
}
