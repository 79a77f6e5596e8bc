/** Something that must never be shown. */
export interface Secret {
  readonly value: string;
  /** The variable or header that held it: short values are only hidden as `NAME=value`. */
  readonly name?: string | undefined;
  /** `explicit`: named a secret by the caller; `by-name`: taken for one because of its variable's name. */
  readonly origin: 'explicit' | 'by-name';
}

/** Hides the values of secrets in text. */
export interface Redactor {
  /** Hides every secret in a complete text. */
  redact(text: string): string;
  /** Hides secrets in a text that arrives in pieces, also where one is split across them. */
  stream(): { push(chunk: string): string; flush(): string };
}

/** A redactor that knows no secrets. */
export const noRedaction: Redactor = {
  redact: (text) => text,
  stream: () => ({ push: (chunk) => chunk, flush: () => '' }),
};
