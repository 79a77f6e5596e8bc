import { StringDecoder } from 'node:string_decoder';

/**
 * Cuts a byte stream into lines, wherever the chunks and the UTF-8 sequences are split. Linear in the input, also
 * for a line that arrives in thousands of pieces. Invalid UTF-8 becomes U+FFFD. Line ends are left to the parser
 * (`\r` is white space in JSON).
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #maxLineBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: (bytes: number) => void;
  #parts: string[] = [];
  #pendingBytes = 0;
  #stopped = false;

  constructor(
    maxLineBytes: number,
    onLine: (line: string) => void,
    /** Called once; nothing is delivered after it. */
    onTooLong: (bytes: number) => void,
  ) {
    this.#maxLineBytes = maxLineBytes;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Buffer): void {
    if (this.#stopped) return;
    const text = this.#decoder.write(chunk);
    // Only a chunk that could complete a line above the limit pays for counting the bytes of each line.
    const mayPassLimit = this.#pendingBytes + chunk.length > this.#maxLineBytes;
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = this.#take(text.slice(start, end));
      start = end + 1;
      if (mayPassLimit && this.#passesLimit(Buffer.byteLength(line))) return;
      this.#onLine(line);
      if (this.#isStopped()) return;
    }
    const lastNewline = start === 0 ? -1 : chunk.lastIndexOf(0x0a);
    this.#pendingBytes = (start === 0 ? this.#pendingBytes : 0) + chunk.length - lastNewline - 1;
    if (start < text.length) this.#parts.push(text.slice(start));
    this.#passesLimit(this.#pendingBytes);
  }

  /** The stream ended: an unterminated last line still counts. */
  end(): void {
    if (this.#stopped) return;
    const line = this.#take(this.#decoder.end());
    this.#stopped = true;
    if (line !== '') this.#onLine(line);
  }

  /** Delivers nothing more. */
  stop(): void {
    this.#stopped = true;
    this.#parts = [];
  }

  #isStopped(): boolean {
    return this.#stopped;
  }

  #take(rest: string): string {
    if (this.#parts.length === 0) return rest;
    this.#parts.push(rest);
    const line = this.#parts.join('');
    this.#parts = [];
    return line;
  }

  #passesLimit(bytes: number): boolean {
    if (bytes <= this.#maxLineBytes) return false;
    this.stop();
    this.#onTooLong(bytes);
    return true;
  }
}
