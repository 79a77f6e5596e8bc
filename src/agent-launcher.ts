import { AgentConnection, type ConnectionEvents } from './agent-connection.ts';
import type { AgentSession } from './agent-session.ts';
import type { AgentClient } from './client/agent-client.ts';
import { checkClient } from './client/check-client.ts';
import { AgentStartConfig, type AgentStartConfigInput } from './config/agent-start-config.ts';
import type { ModelProviderConfig } from './config/model-provider.ts';
import { GrowingRedactor } from './errors/growing-redactor.ts';
import {
  abortedBeforeStart,
  asStartConfig,
  checkLauncherOptions,
  planLaunch,
  type LauncherOptions,
  type LaunchOptions,
  type LaunchPlan,
} from './launch-plan.ts';
import { AgentProcess } from './process/agent-process.ts';
import { startOrphanGuard } from './process/orphan-guard.ts';
import { TypedEvents } from './session/typed-events.ts';
import { UpdateRouter } from './session/update-router.ts';
import { AgentWire } from './wire/agent-wire.ts';
import { clientCapabilities, ClientRequests } from './wire/client-handlers.ts';
import { initialize } from './wire/initialize.ts';

export type LaunchStage = 'config' | 'spawn' | 'initialize' | 'session' | 'ready';

export type LauncherEvents = {
  /** A launch comes to this stage; `note` says what was chosen, such as which version `npx` will run. */
  stage: readonly [
    stage: LaunchStage,
    about: { readonly projectId: string; readonly note?: string | undefined },
  ];
};

/**
 * Starts agents: {@link launch} opens a session, {@link connect} stops before that. Holds no agents itself; a
 * session, or a connection, owns what was started for it.
 *
 * @example
 * ```ts
 * const launcher = new AgentLauncher({ agent: 'claude-code' });
 * const session = await launcher.launch('my-project', '.', undefined, new AgentStartConfig(), {});
 * const answer = await session.prompt('Hello').text();
 * await session.close();
 * ```
 */
export class AgentLauncher {
  readonly #options: LauncherOptions;
  readonly #events = new TypedEvents<LauncherEvents>();

  /** @throws AcpLauncherError `invalid-config` for an unknown preset or a limit that is no number. */
  constructor(options: LauncherOptions = {}) {
    this.#options = options;
    checkLauncherOptions(options);
  }

  /** As the method of the same name, with a launcher of default options. */
  static launch(...request: Parameters<AgentLauncher['launch']>): Promise<AgentSession> {
    return new AgentLauncher().launch(...request);
  }

  on<Name extends keyof LauncherEvents>(
    name: Name,
    listener: (...values: LauncherEvents[Name]) => unknown,
  ): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * Starts an agent for a project and opens a session: exactly one `session/new`, with the resume, the system prompt
   * and the rest in `_meta`. The session owns the agent: closing it stops both. Never loads, never falls back.
   *
   * @param projectId - The caller's name of the project; the agent sees it as `AGENT_PROJECT_ID`.
   * @param path - The project's directory.
   * @param modelProvider - What the agent's model variables are made of; `undefined` leaves the agent to its own.
   * @param client - What the agent may ask for; its capabilities follow from the handlers that are there.
   * @throws ResumeFailedError when `resumeSessionId` was set and failed.
   * @throws AcpLauncherError as {@link connect} and {@link AgentConnection.openSession}. The agent is gone by then.
   */
  async launch(
    projectId: string,
    path: string,
    modelProvider: ModelProviderConfig | undefined,
    startConfig: AgentStartConfig | AgentStartConfigInput,
    client: AgentClient,
    options: LaunchOptions = {},
  ): Promise<AgentSession> {
    const config = asStartConfig(startConfig);
    const connection = await this.connect(projectId, path, modelProvider, config, client, options);
    try {
      this.#events.emit('stage', 'session', { projectId });
      const session = await connection.openSession(config, { signal: options.signal });
      session.closeOwner = () => connection.close();
      this.#events.emit('stage', 'ready', { projectId });
      return session;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /**
   * Starts an agent and initializes it, without a session. What the session part of `startConfig` says is not used,
   * except that the secrets in it are never shown.
   *
   * @throws AcpLauncherError `invalid-config`, `cwd-missing`, `command-missing`, `command-not-executable`,
   * `interpreter-missing`, `spawn-failed`, `agent-exited`, `timeout`, `protocol-version`, `line-too-long`, `aborted`.
   * Whatever was started is gone by then.
   */
  async connect(
    projectId: string,
    path: string,
    modelProvider: ModelProviderConfig | undefined,
    startConfig: AgentStartConfig | AgentStartConfigInput,
    client: AgentClient,
    options: LaunchOptions = {},
  ): Promise<AgentConnection> {
    this.#events.emit('stage', 'config', { projectId });
    checkClient(client);
    const plan = await this.planLaunch(projectId, path, modelProvider, startConfig, options);
    if (options.signal?.aborted === true) throw abortedBeforeStart(options.signal.reason);
    this.#events.emit('stage', 'spawn', { projectId, note: plan.command.note });
    const redactor = new GrowingRedactor(plan.secrets);
    const agentProcess = await this.#spawn(plan, redactor);
    try {
      this.#events.emit('stage', 'initialize', { projectId });
      return await this.#initialize(plan, agentProcess, redactor, client, options.signal);
    } catch (error) {
      await agentProcess.close();
      throw error;
    }
  }

  /** @internal Everything that is decided before a process is started. */
  planLaunch(
    projectId: string,
    path: string,
    modelProvider: ModelProviderConfig | undefined,
    startConfig: AgentStartConfig | AgentStartConfigInput,
    options: LaunchOptions = {},
  ): Promise<LaunchPlan> {
    return planLaunch(this.#options, { projectId, path, modelProvider, startConfig, options });
  }

  /** Starts the process. However it ends, what it leaves behind is ended with it. */
  async #spawn({ limits, command, cwd }: LaunchPlan, redactor: GrowingRedactor): Promise<AgentProcess> {
    const guard = this.#options.orphanGuard === true ? startOrphanGuard() : undefined;
    try {
      const agentProcess = await AgentProcess.spawn({ ...limits, ...command, cwd, redactor });
      void agentProcess.exited.then(() => agentProcess.close()).then(() => guard?.close());
      return agentProcess;
    } catch (error) {
      await guard?.close();
      throw error;
    }
  }

  async #initialize(
    plan: LaunchPlan,
    agentProcess: AgentProcess,
    redactor: GrowingRedactor,
    client: AgentClient,
    signal: AbortSignal | undefined,
  ): Promise<AgentConnection> {
    const { limits, command, projectId } = plan;
    const { onWireLine, authMethodId } = this.#options;
    const events = new TypedEvents<ConnectionEvents>();
    const router = new UpdateRouter(({ sessionId, update }) =>
      events.emit('unrouted-update', sessionId, update),
    );
    let connection: AgentConnection | undefined;
    const clientRequests: ClientRequests = new ClientRequests(client, {
      servesSession: (sessionId) => router.expects(sessionId),
      sessionOfRequest: (requestId) => wire.sessionOfRequest(requestId),
      isEnding: (sessionId) => connection?.session(sessionId)?.ending === true,
      toolCall: (sessionId, toolCallId) => connection?.session(sessionId)?.toolCall(toolCallId),
      onOpenRequestsChange: (sessionId) =>
        connection?.session(sessionId)?.clientRequestsOpen(clientRequests.openRequests(sessionId)),
      onPermission: (request, response) => events.emit('permission', request, response),
      onHandlerError: (method, error) => events.emit('handler-error', method, error),
    });
    const wire: AgentWire = new AgentWire({
      process: agentProcess,
      command: command.command,
      redactor,
      maxLineBytes: limits.maxLineBytes,
      clientRequests,
      onUpdate: (notification, size) => router.route(notification, size),
      onNotification: (method, params) => clientRequests.notify(method, params),
      onNoise: (line, reason) => events.emit('noise', shortNoise(line, redactor), reason),
      onLine: onWireLine && wireLog(projectId, redactor, onWireLine),
    });
    // An agent that can't be talked to any more is of no use to anybody: it ends, even if it still runs. A connection
    // sees to that by itself, and gives a turn that has just ended its time.
    void wire.closed.then(() => (connection === undefined ? agentProcess.close() : undefined));
    const timeoutMs = command.packageRunner ? limits.packageRunnerTimeoutMs : limits.initializeTimeoutMs;
    try {
      const initialized = await initialize(wire, {
        capabilities: clientCapabilities(client),
        timeoutMs,
        signal,
      });
      const connected = new AgentConnection({
        process: agentProcess,
        wire,
        router,
        clientRequests,
        client,
        limits,
        events,
        redactor,
        env: command.env,
        cwd: plan.cwd,
        agentId: command.agentId,
        preset: command.preset,
        authMethodId,
        initialized,
      });
      // Turns are cancelled and sessions closed first, as in any other close.
      agentProcess.closeForHost = () => connected.close();
      return (connection = connected);
    } catch (error) {
      wire.close();
      throw error;
    }
  }
}

/** A line of noise may be a flood: what is told of it is cut, behind a margin in which no secret is split. */
const longestNoise = 2_000;
const secretMargin = 64 * 1024;

function shortNoise(line: string, redactor: GrowingRedactor): string {
  return redactor.redact(line.slice(0, longestNoise + secretMargin)).slice(0, longestNoise);
}

/** The caller's log of the wire, which can't break the wire. */
function wireLog(
  projectId: string,
  redactor: GrowingRedactor,
  log: NonNullable<LauncherOptions['onWireLine']>,
) {
  return (direction: 'sent' | 'received', line: string) => {
    try {
      log({ projectId, direction, text: redactor.redact(line) });
    } catch {
      // A debugging aid that throws must not end the conversation that it watches.
    }
  };
}
