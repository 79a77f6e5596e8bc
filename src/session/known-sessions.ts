/** Where a session belongs, as far as this process has seen. */
export interface KnownSession {
  readonly projectId: string;
  /** Canonical. */
  readonly cwd: string;
}

interface Entry extends KnownSession {
  /** The session that was opened in its place when it could not be resumed. */
  readonly standIn?: string | undefined;
}

const mostSessions = 10_000;

/** The session ids that were seen, the latest of them: one must not be used for another project or directory. */
export class KnownSessions {
  readonly #entries = new Map<string, Entry>();

  add(sessionId: string, { projectId, cwd }: KnownSession): void {
    const entry = { projectId, cwd, standIn: this.#entries.get(sessionId)?.standIn };
    this.#put(sessionId, entry);
  }

  /** Another session stands in for one that could not be resumed: asking for the lost one means the other. */
  replace(lostId: string, standIn: string, known: KnownSession): void {
    this.#put(lostId, { ...known, standIn });
    // It may have been lost itself before, and is there again.
    this.#put(standIn, known);
  }

  /** The conversation of a project was dropped: its ids mean nothing any more. */
  forget(projectId: string): void {
    for (const [sessionId, entry] of this.#entries)
      if (entry.projectId === projectId) this.#entries.delete(sessionId);
  }

  get(sessionId: string): KnownSession | undefined {
    return this.#entries.get(sessionId);
  }

  /** The session that serves who asks for this one: itself, or what stands in for it. */
  current(sessionId: string): string {
    let current = sessionId;
    for (const seen = new Set<string>(); !seen.has(current);) {
      seen.add(current);
      current = this.#entries.get(current)?.standIn ?? current;
    }
    return current;
  }

  #put(sessionId: string, entry: Entry): void {
    this.#entries.delete(sessionId);
    this.#entries.set(sessionId, entry);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > mostSessions && oldest.done !== true) this.#entries.delete(oldest.value);
  }
}
