/** So many pieces are joined at once: few enough to stay small, many enough that each is copied only twice. */
const piecesPerBlock = 1_024;

/**
 * A text that grows piece by piece, in linear time and in little more memory than the text itself. A million pieces in
 * an array, or one long chain of concatenations, would cost many times that.
 */
export class JoinedText {
  #blocks: string[] = [];
  #pieces: string[] = [];
  #length = 0;

  /** In UTF-16 code units. */
  get length(): number {
    return this.#length;
  }

  append(piece: string): void {
    if (piece === '') return;
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length < piecesPerBlock) return;
    this.#blocks.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  clear(): void {
    this.#blocks = [];
    this.#pieces = [];
    this.#length = 0;
  }

  toString(): string {
    return this.#blocks.join('') + this.#pieces.join('');
  }
}
