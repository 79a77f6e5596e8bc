import { createRedactor } from './create-redactor.ts';
import type { Redactor, Secret } from './redactor.ts';

/**
 * A redactor that learns of secrets while it is in use: a later session may bring MCP servers of its own. What it
 * learns becomes a layer behind the ones before, so that a stream that has begun loses nothing that it holds back.
 */
export class GrowingRedactor implements Redactor {
  readonly #known: Set<string>;
  readonly #layers: Redactor[];

  constructor(secrets: readonly Secret[]) {
    this.#known = new Set(secrets.map(({ value }) => value));
    this.#layers = [createRedactor(secrets)];
  }

  add(secrets: readonly Secret[]): void {
    const added = secrets.filter(({ value }) => !this.#known.has(value));
    if (added.length === 0) return;
    for (const { value } of added) this.#known.add(value);
    this.#layers.push(createRedactor(added));
  }

  redact(text: string): string {
    return this.#layers.reduce((redacted, layer) => layer.redact(redacted), text);
  }

  stream(): ReturnType<Redactor['stream']> {
    const streams: ReturnType<Redactor['stream']>[] = [];
    const current = () => {
      while (streams.length < this.#layers.length)
        streams.push(...this.#layers.slice(streams.length).map((layer) => layer.stream()));
      return streams;
    };
    return {
      push: (chunk) => current().reduce((text, stream) => stream.push(text), chunk),
      flush: () => current().reduce((text, stream) => stream.push(text) + stream.flush(), ''),
    };
  }
}
