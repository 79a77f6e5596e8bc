import { afterEach } from 'vitest';
import type { AgentCommandLine } from '../../fixtures/index.ts';
import type { AgentConnection } from '../../src/agent-connection.ts';
import { AgentLauncher } from '../../src/agent-launcher.ts';
import type { AgentSession } from '../../src/agent-session.ts';
import type { AgentClient } from '../../src/client/agent-client.ts';
import { AgentStartConfig, type AgentStartConfigInput } from '../../src/config/agent-start-config.ts';
import { AcpLauncherError } from '../../src/errors/acp-launcher-error.ts';
import type { LaunchOptions } from '../../src/launch-plan.ts';
import { expectNoLeftovers } from './leftovers.ts';
import { received, type ReceivedMessage } from './received.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** How an agent is run in a test: everything that a launch takes, and what the session is opened with. */
export interface RunOptions extends LaunchOptions {
  readonly config?: AgentStartConfigInput;
  readonly client?: AgentClient;
  readonly authMethodId?: string;
  readonly onWireLine?: (line: { direction: 'sent' | 'received'; text: string }) => void;
}

/** Runs agents for the tests of one file. What a test leaves open is killed, and nothing may be left after that. */
export class AgentRuns {
  readonly folder = temporaryFolder();
  readonly #connections: AgentConnection[] = [];

  constructor() {
    afterEach(async () => {
      await Promise.all(this.#connections.splice(0).map((connection) => connection.kill()));
    });
  }

  /** A file of the test's own for the `record` option of a bundled agent. */
  get record(): string {
    return this.folder.file('record.ndjson');
  }

  /** What the agent whose `record` is ours has received. */
  received(method?: string): ReceivedMessage[] {
    return received(this.record, method);
  }

  async connect(agent: AgentCommandLine, options: RunOptions = {}): Promise<AgentConnection> {
    const { config = {}, client = {}, authMethodId, onWireLine, ...launchOptions } = options;
    const launcher = new AgentLauncher({ ...agent, authMethodId, onWireLine });
    const connection = await launcher.connect(
      'project',
      this.folder.path,
      undefined,
      config,
      client,
      launchOptions,
    );
    this.#connections.push(connection);
    return connection;
  }

  /** Opens a session; closing it leaves the agent running. */
  async open(agent: AgentCommandLine, options: RunOptions = {}): Promise<AgentSession> {
    const connection = await this.connect(agent, options);
    return connection.openSession(new AgentStartConfig(options.config), { signal: options.signal });
  }

  /** Launches; closing the session ends the agent. */
  async launch(agent: AgentCommandLine, options: RunOptions = {}): Promise<AgentSession> {
    const { config = {}, client = {}, authMethodId, onWireLine, ...launchOptions } = options;
    const launcher = new AgentLauncher({ ...agent, authMethodId, onWireLine });
    const session = await launcher.launch(
      'project',
      this.folder.path,
      undefined,
      config,
      client,
      launchOptions,
    );
    this.#connections.push(session.connection);
    return session;
  }
}

/** To be called once, before any other hook of the file. */
export function agentRuns(): AgentRuns {
  expectNoLeftovers();
  return new AgentRuns();
}

/** The error of ours that a promise rejects with; fails when it resolves. */
export async function failureOf(promise: Promise<unknown>): Promise<AcpLauncherError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!AcpLauncherError.isInstance(error)) throw error;
  return error;
}
