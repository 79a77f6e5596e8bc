import { AgentConnection, type ConnectionEvents } from './agent-connection.ts';
import type { AgentSession } from './agent-session.ts';
import type { AgentClient } from './client/agent-client.ts';
import { choosePreset, resolveAgentCommand, type ResolvedAgentCommand } from './config/agent-command.ts';
import { buildAgentEnvironment, type EnvironmentOverrides } from './config/agent-environment.ts';
import { AgentStartConfig, type AgentStartConfigInput } from './config/agent-start-config.ts';
import { defaultLimits, resolveLimits, type LauncherLimits } from './config/launcher-options.ts';
import { secretsFromMcpServers } from './config/mcp-servers.ts';
import type { ModelProviderConfig } from './config/model-provider.ts';
import { parseModelProvider } from './config/model-provider.ts';
import { canonicalDirectory } from './config/project-directory.ts';
import { GrowingRedactor } from './errors/growing-redactor.ts';
import { AcpLauncherError } from './errors/acp-launcher-error.ts';
import { AgentProcess } from './process/agent-process.ts';
import { startOrphanGuard } from './process/orphan-guard.ts';
import { TypedEvents } from './session/typed-events.ts';
import { UpdateRouter } from './session/update-router.ts';
import { AgentWire } from './wire/agent-wire.ts';
import { clientCapabilities, ClientRequests } from './wire/client-handlers.ts';
import { initialize } from './wire/initialize.ts';

/** How agents are started. All limits of {@link LauncherLimits} are options too. */
export interface LauncherOptions extends Partial<LauncherLimits> {
  /** A preset by name. @defaultValue `claude-code`, where no `command` is given */
  readonly agent?: string | undefined;
  /** The agent's command, instead of a preset's own. */
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** The name under which sessions of this agent are remembered. @defaultValue the preset's name, or one made of the command */
  readonly agentId?: string | undefined;
  /** Variables for the agent, above everything else; `undefined` removes one. */
  readonly env?: EnvironmentOverrides | undefined;
  /** `true`: inherit everything but what is never inherited; a list: the default list and these. @defaultValue the allow-list */
  readonly inheritEnv?: boolean | readonly string[] | undefined;
  /** Directories put in front of the agent's `PATH`. */
  readonly prependPath?: readonly string[] | undefined;
  /** Creates the project's directory where it is missing. @defaultValue false */
  readonly createProjectDir?: boolean | undefined;
  /** Called with once when the agent asks for it at session set-up; never an interactive login by itself. */
  readonly authMethodId?: string | undefined;
  /** Also ends agents that ignore the end of stdin when this process is killed outright. One small shell per process. @defaultValue false */
  readonly orphanGuard?: boolean | undefined;
  /** Every line of the wire, redacted: `sent` to the agent, `received` from it. For debugging. */
  readonly onWireLine?:
    ((line: { projectId: string; direction: 'sent' | 'received'; text: string }) => void) | undefined;
}

/** Options of one launch; `env` and limits go above the launcher's own. */
export interface LaunchOptions extends Partial<LauncherLimits> {
  /** Covers the launch: what was started is gone when the promise rejects. Does not end the session later. */
  readonly signal?: AbortSignal | undefined;
  readonly env?: EnvironmentOverrides | undefined;
}

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
 * console.log(await session.prompt('Hello').text());
 * await session.close();
 * ```
 */
export class AgentLauncher {
  readonly #options: LauncherOptions;
  readonly #events = new TypedEvents<LauncherEvents>();

  /** @throws AcpLauncherError `invalid-config` for an unknown preset or a limit that is no number. */
  constructor(options: LauncherOptions = {}) {
    this.#options = options;
    resolveLimits(limitsOf(options));
    choosePreset({ preset: options.agent, command: options.command });
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
    const plan = await this.planLaunch(projectId, path, modelProvider, startConfig, options);
    throwIfAborted(options.signal, 'spawn');
    this.#events.emit('stage', 'spawn', { projectId, note: plan.command.note });
    const redactor = new GrowingRedactor(plan.secrets);
    const agentProcess = await AgentProcess.spawn({
      ...plan.limits,
      ...plan.command,
      cwd: plan.cwd,
      redactor,
    });
    const guard = this.#options.orphanGuard === true ? startOrphanGuard() : undefined;
    void agentProcess.exited.then(() => guard?.close());
    try {
      this.#events.emit('stage', 'initialize', { projectId });
      return await this.#initialize(plan, agentProcess, redactor, client, options.signal);
    } catch (error) {
      await agentProcess.close();
      throw error;
    }
  }

  /** @internal Everything that is decided before a process is started. */
  async planLaunch(
    projectId: string,
    path: string,
    modelProvider: ModelProviderConfig | undefined,
    startConfig: AgentStartConfig | AgentStartConfigInput,
    options: LaunchOptions = {},
  ): Promise<LaunchPlan> {
    if (typeof projectId !== 'string' || projectId === '') {
      throw new AcpLauncherError('invalid-config', 'projectId: must be a non-empty text', {
        phase: 'config',
        field: 'projectId',
      });
    }
    const {
      agent: preset,
      command,
      args,
      agentId,
      inheritEnv,
      prependPath,
      createProjectDir,
    } = this.#options;
    const config = asStartConfig(startConfig);
    const { agentServer } = config;
    const provider = modelProvider === undefined ? undefined : parseModelProvider(modelProvider);
    const cwd = await canonicalDirectory(path, { create: createProjectDir === true });
    const chosen = { agentServer, preset, command, args, agentId };
    const { env, secrets } = buildAgentEnvironment({
      hostEnv: process.env,
      inheritEnv,
      prependPath,
      preset: choosePreset(chosen),
      modelProvider: provider,
      agentServerEnv: agentServer?.env,
      env: { ...this.#options.env, ...options.env },
      projectId,
      cwd,
    });
    const resolved = resolveAgentCommand({ ...chosen, env });
    return {
      projectId,
      cwd,
      command: resolved,
      limits: resolveLimits({ ...resolved.preset?.limits, ...limitsOf(this.#options), ...limitsOf(options) }),
      secrets: [...secrets, ...secretsFromMcpServers(config.mcpServers)],
      modelProvider: provider,
    };
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
    const clientRequests = new ClientRequests(client, {
      onOpenRequestsChange: (sessionId) => connection?.clientRequestsChanged(sessionId),
      onPermission: (request, response) => events.emit('permission', request, response),
      onHandlerError: (method, error) => events.emit('handler-error', method, error),
    });
    const wire = new AgentWire({
      process: agentProcess,
      command: command.command,
      redactor,
      maxLineBytes: limits.maxLineBytes,
      clientRequests,
      onUpdate: (notification, size) => router.route(notification, size),
      onNotification: (method, params) => clientRequests.notify(method, params),
      onNoise: (line, reason) => events.emit('noise', redactor.redact(line.slice(0, longestNoise)), reason),
      onLine:
        onWireLine &&
        ((direction, line) => onWireLine({ projectId, direction, text: redactor.redact(line) })),
    });
    const timeoutMs = command.packageRunner ? limits.packageRunnerTimeoutMs : limits.initializeTimeoutMs;
    try {
      const initialized = await initialize(wire, {
        capabilities: clientCapabilities(client),
        timeoutMs,
        signal,
      });
      connection = new AgentConnection({
        process: agentProcess,
        wire,
        router,
        clientRequests,
        client,
        limits,
        events,
        redactor,
        cwd: plan.cwd,
        agentId: command.agentId,
        preset: command.preset,
        authMethodId,
        initialized,
      });
      return connection;
    } catch (error) {
      wire.close();
      throw error;
    }
  }
}

/** @internal What a launch will do, decided before anything is started. */
export interface LaunchPlan {
  readonly projectId: string;
  /** Canonical. */
  readonly cwd: string;
  readonly command: ResolvedAgentCommand;
  readonly limits: LauncherLimits;
  readonly secrets: ConstructorParameters<typeof GrowingRedactor>[0] & readonly unknown[];
  readonly modelProvider: ModelProviderConfig | undefined;
}

/** A line of noise may be a flood: what is told of it is cut. */
const longestNoise = 2_000;

function asStartConfig(input: AgentStartConfig | AgentStartConfigInput): AgentStartConfig {
  return input instanceof AgentStartConfig ? input : new AgentStartConfig(input);
}

function throwIfAborted(signal: AbortSignal | undefined, method: string): void {
  if (signal?.aborted !== true) return;
  throw new AcpLauncherError('aborted', 'the caller aborted before the agent was started', {
    phase: 'spawn',
    method,
    cause: signal.reason,
  });
}

/** The limits among the options; those that are there but undefined must not hide what stands below them. */
function limitsOf(options: Partial<LauncherLimits>): Partial<LauncherLimits> {
  const isLimit = ([name, value]: [string, unknown]) => name in defaultLimits && value !== undefined;
  return Object.fromEntries(Object.entries(options).filter(isLimit));
}
