import { createRedactor } from './create-redactor.ts';
import type { Redactor, Secret } from './redactor.ts';

/** A redactor that learns of secrets while it is in use: a later session may bring MCP servers of its own. */
export class GrowingRedactor implements Redactor {
  #secrets: readonly Secret[];
  #current: Redactor;

  constructor(secrets: Iterable<Secret>) {
    this.#secrets = [...secrets];
    this.#current = createRedactor(this.#secrets);
  }

  add(secrets: readonly Secret[]): void {
    const known = new Set(this.#secrets.map(({ value }) => value));
    const added = secrets.filter(({ value }) => !known.has(value));
    if (added.length === 0) return;
    this.#secrets = [...this.#secrets, ...added];
    this.#current = createRedactor(this.#secrets);
  }

  redact(text: string): string {
    return this.#current.redact(text);
  }

  /** A stream that has begun takes up new secrets at its next piece. */
  stream(): ReturnType<Redactor['stream']> {
    let redactor = this.#current;
    let stream = redactor.stream();
    return {
      push: (chunk) => {
        if (redactor === this.#current) return stream.push(chunk);
        const rest = stream.flush();
        redactor = this.#current;
        stream = redactor.stream();
        return rest + stream.push(chunk);
      },
      flush: () => stream.flush(),
    };
  }
}
