import { StringDecoder } from 'node:string_decoder';
import { JoinedText } from './joined-text.ts';

const newline = 0x0a;

/**
 * Cuts a byte stream into lines, wherever the chunks and the UTF-8 sequences are split. Linear in the input, also
 * for a line that arrives byte by byte. Invalid UTF-8 becomes U+FFFD. Line ends other than `\n` are left to the
 * parser (`\r` is white space in JSON).
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  readonly #maxLineBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  /** What has come of the line that is not complete yet. */
  readonly #unfinished = new JoinedText();
  #unfinishedBytes = 0;
  #stopped = false;

  constructor(
    /** The most bytes that a line may have, without its `\n`. */
    maxLineBytes: number,
    onLine: (line: string) => void,
    /** Called once; nothing is delivered after it. */
    onTooLong: () => void,
  ) {
    this.#maxLineBytes = maxLineBytes;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Buffer): void {
    // Only a chunk that could complete a line above the limit pays for measuring its lines.
    const mayPassLimit = this.#unfinishedBytes + chunk.length > this.#maxLineBytes;
    const tooLongFrom = mayPassLimit ? this.#findTooLong(chunk) : undefined;
    this.#split(tooLongFrom === undefined ? chunk : chunk.subarray(0, tooLongFrom));
    if (tooLongFrom === undefined || this.#stopped) return;
    this.stop();
    this.#onTooLong();
  }

  /** The stream ended: an unterminated last line still counts. */
  end(): void {
    if (this.#stopped) return;
    this.#unfinished.append(this.#decoder.end());
    const line = this.#unfinished.toString();
    this.stop();
    if (line !== '') this.#onLine(line);
  }

  /** Delivers nothing more. */
  stop(): void {
    this.#stopped = true;
    this.#unfinished.clear();
  }

  /** Where in the chunk a line (or the part of one that is here) begins that is longer than the limit. */
  #findTooLong(chunk: Buffer): number | undefined {
    let start = 0;
    let length = this.#unfinishedBytes;
    for (;;) {
      const end = chunk.indexOf(newline, start);
      length += (end === -1 ? chunk.length : end) - start;
      if (length > this.#maxLineBytes) return start;
      if (end === -1) return undefined;
      start = end + 1;
      length = 0;
    }
  }

  #split(chunk: Buffer): void {
    const text = this.#decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (this.#stopped) return;
      const line = this.#complete(text.slice(start, end));
      start = end + 1;
      this.#onLine(line);
    }
    if (this.#stopped) return;
    this.#unfinished.append(text.slice(start));
    const before = start === 0 ? this.#unfinishedBytes : 0;
    this.#unfinishedBytes = before + chunk.length - (chunk.lastIndexOf(newline) + 1);
  }

  #complete(rest: string): string {
    if (this.#unfinished.length === 0) return rest;
    this.#unfinished.append(rest);
    const line = this.#unfinished.toString();
    this.#unfinished.clear();
    return line;
  }
}
