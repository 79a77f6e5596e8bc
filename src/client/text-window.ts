/** The text of a UTF-8 file, its byte order mark included; `undefined` where the bytes are something else. */
export function decodeText(bytes: Uint8Array): string | undefined {
  // UTF-16 and most binary formats hold NUL bytes, which are valid UTF-8 and no text.
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The part of a text that starts at `line` (1-based; 0 is taken for 1) and has at most `limit` lines, each with the
 * line break that it has: successive windows put together are the text. Empty past the end.
 */
export function selectLines(text: string, line = 1, limit = Infinity): string {
  let start = 0;
  for (let skipped = 1; skipped < line && start < text.length; skipped += 1) start = lineEnd(text, start);
  if (limit === Infinity) return text.slice(start);
  let end = start;
  for (let taken = 0; taken < limit && end < text.length; taken += 1) end = lineEnd(text, end);
  return text.slice(start, end);
}

/** Where the line that starts at `from` ends, its line break included. */
function lineEnd(text: string, from: number): number {
  const lineBreak = text.indexOf('\n', from);
  return lineBreak === -1 ? text.length : lineBreak + 1;
}
