import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { shown } from '../errors/shown.ts';
import { withDeadline } from '../internal/deadline.ts';

/** What is remembered of a project's conversation, so that another process can go on with it. */
export interface SessionPointer {
  /** The version of this record. */
  readonly v: 1;
  readonly sessionId: string;
  /** Sessions of this project that came before, newest first; they stay reachable. */
  readonly previousSessionIds: readonly string[];
  /** Those of them that could not be continued, and that this session serves in their place. */
  readonly standsInFor?: readonly string[];
  /** Canonical. */
  readonly cwd: string;
  /** The preset's or the caller's name of the agent; not its command: an upgraded adapter still resumes. */
  readonly agentId: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/**
 * Where pointers live. `Map` and any `Keyv` fit. Last write wins: one runner owns a project at a time, the store
 * hands it over between runners; it is no lock.
 *
 * Every call has 5 seconds to answer. One that does not is an error, and what it was to store is kept in this process
 * and stored with the next write: an outage drops no conversation while the process lives. `stop` and `shutdown` wait for
 * what is being written, and try once more what could not be: a store that never answers delays them by that time,
 * twice at most.
 */
export interface SessionStore {
  /** `undefined` = none. Must throw, or reject, when it can't tell. What it returns is validated. */
  get(key: string): unknown;
  /** `false`, or a promise of it, means that it failed. */
  set(key: string, value: SessionPointer): unknown;
  delete(key: string): unknown;
}

/** How many earlier sessions a pointer keeps. */
const maxPrevious = 20;

/** A store that answers later than this is down; no conversation is dropped because of it. */
const storeTimeoutMs = 5_000;

/** What a store holds for a project. */
export type StoredPointer =
  | { readonly status: 'found'; readonly pointer: SessionPointer }
  | { readonly status: 'none' }
  /** A record that we can't read: corrupt, or of a newer version. */
  | { readonly status: 'unreadable'; readonly problem: string };

/**
 * Reads and writes pointers with a deadline, and takes every failure of the store for what it is: an error, never
 * an absent conversation.
 */
export class PointerStore {
  readonly #store: SessionStore;
  readonly #timeoutMs: number;

  /** @throws AcpLauncherError `invalid-config` for a store that hides its failures. */
  constructor(store: SessionStore, timeoutMs = storeTimeoutMs) {
    // A failing Keyv `get` answers undefined, which would read as "there was no conversation".
    if ((store as { throwOnErrors?: unknown }).throwOnErrors === false) {
      const message =
        'store: it hides its failures (throwOnErrors is false); create the Keyv with throwOnErrors: true';
      throw new AcpLauncherError('invalid-config', message, { phase: 'config', field: 'store' });
    }
    const missing = (['get', 'set', 'delete'] as const).find((name) => typeof store[name] !== 'function');
    if (missing !== undefined) {
      throw new AcpLauncherError('invalid-config', `store: it has no method ${missing}`, {
        phase: 'config',
        field: 'store',
      });
    }
    this.#store = store;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws AcpLauncherError `store-failed`; the signal's own reason where that ends the wait. */
  async read(projectId: string, signal?: AbortSignal): Promise<StoredPointer> {
    const value = await this.#call('get', () => this.#store.get(projectId), { signal });
    if (value === undefined || value === null) return { status: 'none' };
    return parsePointer(value);
  }

  /**
   * @param onLate - Called when the store has carried it out after it was given up.
   * @throws AcpLauncherError `store-failed`
   */
  async write(projectId: string, pointer: SessionPointer, onLate?: () => void): Promise<void> {
    const outcome = await this.#call('set', () => this.#store.set(projectId, pointer), { onLate });
    if (outcome === false) throw storeError('set', new Error('the store answered false'));
  }

  /** As {@link write}. */
  async delete(projectId: string, onLate?: () => void): Promise<void> {
    await this.#call('delete', () => this.#store.delete(projectId), { onLate });
  }

  async #call(
    operation: string,
    call: () => unknown,
    {
      signal,
      onLate = () => undefined,
    }: { readonly signal?: AbortSignal | undefined; readonly onLate?: (() => void) | undefined },
  ): Promise<unknown> {
    signal?.throwIfAborted();
    const work = Promise.resolve().then(call);
    const wait = { isGivenUp: false };
    try {
      return await withDeadline(work, {
        timeoutMs: this.#timeoutMs,
        signal,
        onTimeout: () => {
          wait.isGivenUp = true;
          return new Error(`no answer within ${this.#timeoutMs} ms`);
        },
      });
    } catch (error) {
      if (wait.isGivenUp) void work.then(onLate, () => undefined);
      if (signal?.aborted === true && error === signal.reason) throw error;
      throw storeError(operation, error);
    }
  }
}

/** Reads a record, of this version or an unknown one. */
export function parsePointer(value: unknown): StoredPointer {
  const unreadable = (problem: string) => ({ status: 'unreadable', problem }) as const;
  if (typeof value !== 'object' || value === null) return unreadable('it is not an object');
  const record = value as Record<string, unknown>;
  const { v, sessionId, cwd, agentId, updatedAt } = record;
  if (v !== 1) return unreadable(`its version is ${shown(v)}, not 1`);
  for (const [name, field] of Object.entries({ sessionId, cwd, agentId, updatedAt })) {
    if (typeof field !== 'string' || field === '') return unreadable(`its ${name} is not a text`);
  }
  const previousSessionIds = textsIn(record['previousSessionIds']);
  const standsInFor = textsIn(record['standsInFor']);
  const pointer = {
    v: 1,
    sessionId,
    previousSessionIds,
    ...(standsInFor.length === 0 ? {} : { standsInFor }),
    cwd,
    agentId,
    updatedAt,
  } as SessionPointer;
  return { status: 'found', pointer };
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/**
 * The pointer that follows another one: the session that it replaces goes to the earlier ones. What could not be
 * continued is remembered as served by this one, along with what that one had stood in for.
 */
export function nextPointer(
  before: SessionPointer | undefined,
  now: Pick<SessionPointer, 'sessionId' | 'cwd' | 'agentId'>,
  alsoPrevious: readonly string[] = [],
  lost: readonly string[] = [],
): SessionPointer {
  const continues =
    before !== undefined && (before.sessionId === now.sessionId || lost.includes(before.sessionId));
  const served = [...lost, ...(continues ? (before.standsInFor ?? []) : [])];
  const standsInFor = [...new Set(served)].filter((id) => id !== now.sessionId).slice(0, maxPrevious);
  const earlier = [
    ...alsoPrevious,
    ...(before === undefined ? [] : [before.sessionId, ...before.previousSessionIds]),
  ];
  const previousSessionIds = [...new Set(earlier)].filter((id) => id !== now.sessionId).slice(0, maxPrevious);
  return {
    v: 1,
    ...now,
    previousSessionIds,
    ...(standsInFor.length === 0 ? {} : { standsInFor }),
    updatedAt: new Date().toISOString(),
  };
}

function storeError(operation: string, cause: unknown): AcpLauncherError {
  const text = cause instanceof Error ? cause.message : String(cause);
  const message = `the session store failed to ${operation}: ${text}; no conversation was dropped`;
  return new AcpLauncherError('store-failed', message, { phase: 'session', cause });
}
