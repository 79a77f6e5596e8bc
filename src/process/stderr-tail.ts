import type { Redactor } from '../errors/redactor.ts';
import { MatchStream } from '../errors/text-matcher.ts';
import { deferred } from '../internal/deferred.ts';
import { plainText } from './plain-text.ts';

export interface StderrTailOptions {
  readonly redactor: Redactor;
  /** How much is kept, in bytes of UTF-8. */
  readonly maxBytes: number;
}

const longestLine = 8 * 1024;
/** The most that one UTF-16 code unit becomes in UTF-8. */
const bytesPerUnit = 3;

/**
 * The last of what a process wrote to stderr, as plain text and without secrets. Reads on, whatever happens: an
 * agent that nobody listens to would block when the pipe is full.
 */
export class StderrTail {
  /** Resolves when nothing more will come. Stderr may still hold data when the process has exited. */
  readonly ended: Promise<void>;
  readonly #ended = deferred<void>();
  readonly #maxBytes: number;
  readonly #longestLine: number;
  readonly #decoder = new TextDecoder();
  readonly #plain = new MatchStream(plainText);
  // Before anything is cut: half a secret would not be recognised any more.
  readonly #redaction: ReturnType<Redactor['stream']>;
  readonly #listeners = new Set<(line: string) => void>();
  #lines: string[] = [];
  #bytes = 0;
  #partial = '';

  constructor({ redactor, maxBytes }: StderrTailOptions) {
    this.ended = this.#ended.promise;
    this.#redaction = redactor.stream();
    this.#maxBytes = maxBytes;
    this.#longestLine = Math.min(longestLine, Math.max(1, Math.floor(maxBytes / bytesPerUnit)));
  }

  write(chunk: Uint8Array): void {
    this.#add(this.#plain.push(this.#decoder.decode(chunk, { stream: true })));
  }

  /** Idempotent. What has no line end by now is a line as well. */
  end(): void {
    this.#add(this.#plain.push(this.#decoder.decode()) + this.#plain.flush());
    this.#split(this.#redaction.flush());
    if (this.#partial !== '') this.#addLine(this.#partial);
    this.#partial = '';
    this.#ended.resolve();
  }

  /** The last lines, an unfinished one included. At most `maxBytes`. */
  text(lastLines = Infinity): string {
    const lines = this.#partial === '' ? this.#lines : [...this.#lines, this.#partial];
    return lines.slice(Math.max(lines.length - lastLines, firstWithin(lines, this.#maxBytes))).join('\n');
  }

  /**
   * Calls `listener` with each line from now on; a very long one comes in pieces. A listener that throws is ignored.
   * Returns the function that ends it.
   */
  onLine(listener: (line: string) => void): () => void {
    // One entry for each call, also where the same function is passed twice.
    const entry = (line: string) => listener(line);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  #add(text: string): void {
    this.#split(this.#redaction.push(text));
  }

  #split(text: string): void {
    const lines = (this.#partial + text).split('\n');
    const unfinished = lines.pop() ?? '';
    for (const line of lines) this.#addLine(this.#addPieces(line));
    this.#partial = this.#addPieces(unfinished);
  }

  /** Adds what is too long for one line in pieces; returns the last one. */
  #addPieces(line: string): string {
    let rest = line;
    while (rest.length > this.#longestLine) {
      const cut = cutPosition(rest, this.#longestLine);
      this.#addLine(rest.slice(0, cut));
      rest = rest.slice(cut);
    }
    return rest;
  }

  #addLine(line: string): void {
    this.#lines.push(line);
    this.#bytes += byteLength(line);
    // Only now and then: dropping each line by itself would move the others each time.
    if (this.#bytes > 2 * this.#maxBytes) {
      this.#lines = this.#lines.slice(firstWithin(this.#lines, this.#maxBytes));
      this.#bytes = this.#lines.reduce((sum, kept) => sum + byteLength(kept), 0);
    }
    for (const listener of this.#listeners) {
      try {
        listener(line);
      } catch {
        // Reading must go on.
      }
    }
  }
}

const byteLength = (line: string) => Buffer.byteLength(line) + 1;

/** The index of the first line from which on all of them fit into so many bytes. */
function firstWithin(lines: readonly string[], maxBytes: number): number {
  let bytes = -1;
  let first = lines.length;
  while (first > 0) {
    bytes += byteLength(lines[first - 1] ?? '');
    if (bytes > maxBytes) break;
    first -= 1;
  }
  return first;
}

/** Not between the two halves of a character. */
function cutPosition(text: string, length: number): number {
  const unit = text.charCodeAt(length - 1);
  const isFirstHalf = unit >= 0xd800 && unit <= 0xdbff;
  return isFirstHalf && length > 1 ? length - 1 : length;
}
