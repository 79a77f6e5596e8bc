import { StringDecoder } from 'node:string_decoder';

/** The streams of a command, each a sequence of UTF-8 characters of its own. */
export type OutputStream = 'stdout' | 'stderr';

/**
 * The end of what a command wrote, stdout and stderr merged as they arrived, in about twice the memory of the limit.
 * Bytes that are not UTF-8 show as U+FFFD; a character that is split across reads is kept whole.
 */
export class TerminalOutput {
  readonly #limitBytes: number;
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  #buffer = Buffer.alloc(0);
  #used = 0;
  #truncated = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  write(stream: OutputStream, chunk: Buffer): void {
    this.#append(Buffer.from(this.#decoders[stream].write(chunk)));
  }

  /** Shows what is left of a character that will not be completed any more. */
  end(stream: OutputStream): void {
    this.#append(Buffer.from(this.#decoders[stream].end()));
  }

  /** What is kept, cut at a character boundary, and whether anything before it was dropped. */
  read(): { output: string; truncated: boolean } {
    const kept = tailAtCharacter(this.#buffer.subarray(0, this.#used), this.#limitBytes);
    return { output: kept.toString('utf8'), truncated: this.#truncated || kept.length < this.#used };
  }

  #append(bytes: Buffer): void {
    if (bytes.length + this.#used > this.#buffer.length) this.#makeRoom(bytes.length);
    const fitting = bytes.subarray(Math.max(0, bytes.length - this.#limitBytes));
    fitting.copy(this.#buffer, this.#used);
    this.#used += fitting.length;
    if (fitting.length < bytes.length) this.#truncated = true;
  }

  /** Drops what is beyond the limit, and doubles the buffer until it holds twice the limit: each byte moves about once. */
  #makeRoom(needed: number): void {
    const kept = this.#buffer.subarray(Math.max(0, this.#used - this.#limitBytes), this.#used);
    const size = Math.min(2 * this.#limitBytes, Math.max(2 * this.#buffer.length, kept.length + needed));
    const target = size > this.#buffer.length ? Buffer.allocUnsafe(size) : this.#buffer;
    kept.copy(target);
    this.#buffer = target;
    this.#used = kept.length;
  }
}

/** The last `limitBytes` bytes of valid UTF-8 at most, from the first whole character on. */
export function tailAtCharacter(bytes: Buffer, limitBytes: number): Buffer {
  let start = Math.max(0, bytes.length - limitBytes);
  // Continuation bytes look like 10xxxxxx.
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
