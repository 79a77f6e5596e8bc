/**
 * A set of environment variables. On Windows `Path` and `PATH` are one variable, and the spelling that came
 * first stays; elsewhere case counts.
 */
export class EnvironmentVariables {
  readonly #caseInsensitive: boolean;
  readonly #entries = new Map<string, { name: string; value: string }>();

  constructor(platform: NodeJS.Platform, initial: Readonly<Record<string, string | undefined>> = {}) {
    this.#caseInsensitive = platform === 'win32';
    for (const [name, value] of Object.entries(initial)) this.set(name, value);
  }

  get(name: string): string | undefined {
    return this.#entries.get(this.#key(name))?.value;
  }

  /** `undefined` removes the variable: Node would pass on the text 'undefined'. */
  set(name: string, value: string | undefined): void {
    const key = this.#key(name);
    if (value === undefined) this.#entries.delete(key);
    else this.#entries.set(key, { name: this.#entries.get(key)?.name ?? name, value });
  }

  toObject(): Record<string, string> {
    return Object.fromEntries([...this.#entries.values()].map(({ name, value }) => [name, value]));
  }

  #key(name: string): string {
    return this.#caseInsensitive ? name.toUpperCase() : name;
  }
}
