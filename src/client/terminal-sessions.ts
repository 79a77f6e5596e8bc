import { randomUUID } from 'node:crypto';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { clientErrorCodes, ClientRequestError } from './client-request-error.ts';
import type { LocalTerminal } from './local-terminal.ts';

interface Session {
  closed: boolean;
  /** Terminals that are being made; they count, and they are refused when the session closes first. */
  starting: number;
  readonly terminals: Map<string, { readonly terminal: LocalTerminal; released: boolean }>;
}

/** Which terminal belongs to which session. A session sees its own terminals only, by ids that can't be guessed. */
export class TerminalSessions {
  readonly #sessions = new Map<string, Session>();
  readonly #maxTerminals: number;

  constructor(maxTerminals: number) {
    this.#maxTerminals = maxTerminals;
  }

  /**
   * Adds a terminal. `start` gets a function to call just before the process is spawned: it throws when the session
   * was closed in the meantime, so that nothing starts that nobody would end.
   */
  async add(sessionId: string, start: (assertOpen: () => void) => Promise<LocalTerminal>): Promise<string> {
    const session = this.#sessions.get(sessionId) ?? { closed: false, starting: 0, terminals: new Map() };
    if (session.terminals.size + session.starting >= this.#maxTerminals) {
      const message = `the session has ${this.#maxTerminals} terminals already; release some first`;
      throw new ClientRequestError(clientErrorCodes.internal, message);
    }
    this.#sessions.set(sessionId, session);
    session.starting += 1;
    try {
      const terminal = await start(() => {
        if (session.closed) throw new ClientRequestError(clientErrorCodes.cancelled, 'the session has ended');
      });
      const terminalId = randomUUID();
      session.terminals.set(terminalId, { terminal, released: false });
      return terminalId;
    } finally {
      session.starting -= 1;
      this.#forgetIfEmpty(sessionId, session);
    }
  }

  /** @throws ClientRequestError for an unknown or released terminal, and for one of another session */
  get(sessionId: string, terminalId: string): LocalTerminal {
    return this.#find(sessionId, terminalId).terminal;
  }

  /** Forgets a terminal at once and ends it. Resolves to the process ids that survived. */
  async release(sessionId: string, terminalId: string): Promise<readonly number[]> {
    const entry = this.#find(sessionId, terminalId);
    entry.released = true;
    try {
      return await entry.terminal.kill();
    } finally {
      const session = this.#sessions.get(sessionId);
      session?.terminals.delete(terminalId);
      if (session) this.#forgetIfEmpty(sessionId, session);
    }
  }

  /** Ends all terminals of a session, also those that are being released. @throws `shutdown-incomplete` */
  async close(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId);
    if (!session) return;
    session.closed = true;
    this.#sessions.delete(sessionId);
    const killed = [...session.terminals.values()].map(({ terminal }) => terminal.kill());
    const survivors = (await Promise.all(killed)).flat();
    if (survivors.length === 0) return;
    const message = `${survivors.length} processes of the session's terminals survived every signal`;
    throw new AcpLauncherError('shutdown-incomplete', message, { phase: 'shutdown', sessionId, survivors });
  }

  #find(sessionId: string, terminalId: string) {
    const entry = this.#sessions.get(sessionId)?.terminals.get(terminalId);
    if (entry && !entry.released) return entry;
    throw new ClientRequestError(clientErrorCodes.notFound, `there is no terminal ${terminalId}`, {
      terminalId,
    });
  }

  #forgetIfEmpty(sessionId: string, session: Session): void {
    const isEmpty = session.starting === 0 && session.terminals.size === 0;
    if (isEmpty && this.#sessions.get(sessionId) === session) this.#sessions.delete(sessionId);
  }
}
