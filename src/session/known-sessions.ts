/** Where a session belongs, as far as this process has seen. */
export interface KnownSession {
  readonly projectId: string;
  /** Canonical; `undefined` where only the project is known. */
  readonly cwd: string | undefined;
}

interface Entry extends KnownSession {
  readonly sessionId: string;
  /** The session that was opened in its place when it could not be resumed. */
  readonly standIn?: string | undefined;
}

const mostSessions = 10_000;

/**
 * The session ids that were seen, the latest of them: one must not be used for another project or directory. An
 * agent may number its sessions, so the same id may belong to several projects.
 */
export class KnownSessions {
  readonly #entries = new Map<string, Entry>();
  readonly #projectsOf = new Map<string, Set<string>>();

  add(sessionId: string, { projectId, cwd }: KnownSession): void {
    const { standIn } = this.#own(sessionId, projectId) ?? {};
    this.#put({ sessionId, projectId, cwd, standIn });
  }

  /** Another session stands in for one that could not be resumed: asking for the lost one means the other. */
  replace(lostId: string, standIn: string, { projectId, cwd }: KnownSession): void {
    this.#put({ sessionId: lostId, projectId, cwd, standIn });
    // It may have been lost itself before, and is there again.
    this.#put({ sessionId: standIn, projectId, cwd });
  }

  /** The conversation of a project was dropped: its ids mean nothing any more. */
  forget(projectId: string): void {
    for (const entry of this.#entries.values()) if (entry.projectId === projectId) this.#drop(entry);
  }

  /** Where the id belongs: to this project, if it does, else to another one. */
  find(sessionId: string, projectId: string): KnownSession | undefined {
    const [other] = this.#projectsOf.get(sessionId) ?? [];
    return this.#own(sessionId, projectId) ?? (other === undefined ? undefined : this.#own(sessionId, other));
  }

  /** The session that serves a project that asks for this one: itself, or what stands in for it there. */
  current(sessionId: string, projectId: string): string {
    let current = sessionId;
    for (const seen = new Set<string>(); !seen.has(current);) {
      seen.add(current);
      current = this.#own(current, projectId)?.standIn ?? current;
    }
    return current;
  }

  #own(sessionId: string, projectId: string): Entry | undefined {
    return this.#entries.get(keyOf({ sessionId, projectId }));
  }

  #put(entry: Entry): void {
    const { sessionId, projectId } = entry;
    this.#drop(entry);
    this.#entries.set(keyOf(entry), entry);
    this.#projectsOf.set(sessionId, (this.#projectsOf.get(sessionId) ?? new Set()).add(projectId));
    const [oldest] = this.#entries.values();
    if (this.#entries.size > mostSessions && oldest !== undefined) this.#drop(oldest);
  }

  #drop(entry: Pick<Entry, 'sessionId' | 'projectId'>): void {
    const { sessionId, projectId } = entry;
    this.#entries.delete(keyOf(entry));
    const projects = this.#projectsOf.get(sessionId);
    projects?.delete(projectId);
    if (projects?.size === 0) this.#projectsOf.delete(sessionId);
  }
}

function keyOf({ sessionId, projectId }: Pick<Entry, 'sessionId' | 'projectId'>): string {
  return JSON.stringify([projectId, sessionId]);
}
