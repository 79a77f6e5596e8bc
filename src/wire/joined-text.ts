/** So many small pieces are joined at once: few enough to stay small, many enough that each is copied only twice. */
const piecesPerBlock = 1_024;
/** A piece of this length costs little more than its text, and is not worth a copy. */
const largePiece = 1_024;

/**
 * A text that grows piece by piece, in linear time and in little more memory than the text itself. A million small
 * pieces in an array, or in one long chain of concatenations, would cost many times that.
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
    if (piece.length < largePiece) {
      if (this.#pieces.push(piece) === piecesPerBlock) this.#join();
      return;
    }
    this.#join();
    this.#blocks.push(piece);
  }

  clear(): void {
    this.#blocks = [];
    this.#pieces = [];
    this.#length = 0;
  }

  toString(): string {
    this.#join();
    return this.#blocks.join('');
  }

  #join(): void {
    if (this.#pieces.length === 0) return;
    this.#blocks.push(this.#pieces.join(''));
    this.#pieces = [];
  }
}
