import { createRedactor } from './create-redactor.ts';
import type { Redactor, Secret } from './redactor.ts';

/** A short value is hidden by its name, and one that is given again may be told to be a secret outright. */
const identity = ({ value, name, origin }: Secret) => JSON.stringify([value, name, origin]);

/**
 * A redactor that learns of secrets while it is in use: a later session may bring MCP servers of its own. For streams,
 * what it learns becomes a layer behind the ones before, so that one that has begun loses nothing that it holds back.
 */
export class GrowingRedactor implements Redactor {
  readonly #known = new Map<string, Secret>();
  readonly #layers: Redactor[] = [];
  #all: Redactor | undefined;

  constructor(secrets: readonly Secret[]) {
    this.#addLayer(secrets);
  }

  add(secrets: readonly Secret[]): void {
    const added = secrets.filter((secret) => !this.#known.has(identity(secret)));
    if (added.length > 0) this.#addLayer(added);
  }

  redact(text: string): string {
    this.#all ??= createRedactor(this.#known.values());
    return this.#all.redact(text);
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

  #addLayer(secrets: readonly Secret[]): void {
    for (const secret of secrets) this.#known.set(identity(secret), secret);
    this.#layers.push(createRedactor(secrets));
    this.#all = undefined;
  }
}
