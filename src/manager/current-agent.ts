import type { AgentConnection } from '../agent-connection.ts';

/** The agent that several attempts use, one at a time: only one that is gone is started again. */
export class CurrentAgent {
  readonly #connect: () => Promise<AgentConnection>;
  #connection: AgentConnection | undefined;

  constructor(connect: () => Promise<AgentConnection>, connection?: AgentConnection) {
    this.#connect = connect;
    this.#connection = connection;
  }

  async get(): Promise<AgentConnection> {
    if (this.#connection?.alive === true) return this.#connection;
    await this.close();
    this.#connection = await this.#connect();
    return this.#connection;
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }
}
