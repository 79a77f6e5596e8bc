import type {
  AgentCapabilities,
  ClientContext,
  Implementation,
  InitializeResponse,
  SessionInfo,
} from '@agentclientprotocol/sdk';
import { AgentSession } from './agent-session.ts';
import type { AgentClient } from './client/agent-client.ts';
import type { AgentPreset } from './config/presets/agent-preset.ts';
import type { AgentStartConfig } from './config/agent-start-config.ts';
import type { LauncherLimits } from './config/launcher-options.ts';
import { checkMcpTransports, secretsFromMcpServers } from './config/mcp-servers.ts';
import { AcpLauncherError } from './errors/acp-launcher-error.ts';
import type { GrowingRedactor } from './errors/growing-redactor.ts';
import type { AgentExit, AgentProcess } from './process/agent-process.ts';
import type { TerminationReport } from './process/terminate-agent.ts';
import { sendOpeningRequest } from './session/opening-request.ts';
import { openingParams, type OpeningMethod } from './session/opening-params.ts';
import { listAllSessions } from './session/list-sessions.ts';
import { outcomeOfOpening } from './session/resume-outcome.ts';
import { defaultResumePolicy, type ResumePolicy } from './session/resume-policy.ts';
import { TypedEvents } from './session/typed-events.ts';
import type { UpdateRouter } from './session/update-router.ts';
import type { AgentWire } from './wire/agent-wire.ts';
import type { ClientRequests } from './wire/client-handlers.ts';
import type { NoiseReason } from './wire/parse-line.ts';

export type ConnectionEvents = {
  /** The agent process has ended, expected or not. */
  'agent-exit': readonly [exit: AgentExit];
  /** A line from the agent that is no message for us; redacted and cut. It was not answered. */
  noise: readonly [line: string, reason: NoiseReason];
  /** A permission request was answered. */
  permission: readonly [request: unknown, response: unknown];
  /** An update for a session that is not open here. */
  'unrouted-update': readonly [sessionId: string, update: unknown];
  /** A handler of the client threw while it served this method. */
  'handler-error': readonly [method: string, error: unknown];
  /** Something that was configured was not sent, since the agent does not advertise it. */
  'not-supported': readonly [what: string];
};

/** Options of everything that opens a session. */
export interface OpenSessionOptions {
  readonly signal?: AbortSignal | undefined;
  /** The session's directory; by default the one that the agent was started in. Absolute and canonical. */
  readonly cwd?: string | undefined;
  /** Which text counts as a failed resume, and the caller's own verdict. */
  readonly policy?: Partial<Pick<ResumePolicy, 'keywords' | 'classify'>> | undefined;
}

/** @internal What a connection is made of. */
export interface ConnectionParts {
  readonly process: AgentProcess;
  readonly wire: AgentWire;
  readonly router: UpdateRouter;
  readonly clientRequests: ClientRequests;
  readonly client: AgentClient;
  readonly limits: LauncherLimits;
  readonly events: TypedEvents<ConnectionEvents>;
  readonly redactor: GrowingRedactor;
  readonly cwd: string;
  readonly agentId: string;
  readonly preset: AgentPreset | undefined;
  readonly authMethodId: string | undefined;
  readonly initialized: InitializeResponse;
}

/**
 * One running, initialized agent process. It owns the process: `close()` ends it and everything it started.
 *
 * @see https://agentclientprotocol.com/protocol/v1/overview
 */
export class AgentConnection implements AsyncDisposable {
  readonly pid: number;
  /** The preset's name, or the name that the caller gave. */
  readonly agentId: string;
  /** Resolves when the agent process has ended. Never rejects. */
  readonly exited: Promise<AgentExit>;
  readonly agentInfo: Implementation | undefined;
  readonly agentCapabilities: AgentCapabilities;
  readonly #parts: ConnectionParts;
  readonly #sessions = new Map<string, AgentSession>();
  #closing: Promise<TerminationReport> | undefined;
  #lastTurnEnd = 0;

  /** @internal Connections are made by {@link AgentLauncher.connect}. */
  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.pid = parts.process.pid;
    this.agentId = parts.agentId;
    this.exited = parts.process.exited;
    this.agentInfo = parts.initialized.agentInfo ?? undefined;
    this.agentCapabilities = parts.initialized.agentCapabilities ?? {};
    void parts.process.exited.then((exit) => parts.events.emit('agent-exit', exit));
    void parts.wire.closed.then(() => this.#detachSessions());
  }

  /** How the agent ended, once it has. */
  get exit(): AgentExit | undefined {
    return this.#parts.process.exit;
  }

  /** Whether requests can still be answered. */
  get alive(): boolean {
    return (
      this.exit === undefined && this.#closing === undefined && this.#endError('initialize') === undefined
    );
  }

  /** The canonical directory that the agent was started in. */
  get cwd(): string {
    return this.#parts.cwd;
  }

  /** The last lines that the agent wrote to stderr, bounded and redacted. */
  get stderrTail(): string {
    return this.#parts.process.stderr.text();
  }

  /** The preset that the agent was started by. */
  get preset(): AgentPreset | undefined {
    return this.#parts.preset;
  }

  /** The authentication methods that the agent advertised. */
  get authMethods(): readonly string[] {
    return this.#parts.wire.authMethods;
  }

  /** The SDK's own context: typed requests and notifications, also those that this library has no method for. */
  get agent(): ClientContext {
    return this.#parts.wire.agent;
  }

  /** The open sessions of this agent. */
  get sessions(): readonly AgentSession[] {
    return [...this.#sessions.values()];
  }

  on<Name extends keyof ConnectionEvents>(
    name: Name,
    listener: (...values: ConnectionEvents[Name]) => unknown,
  ): () => void {
    return this.#parts.events.on(name, listener);
  }

  /**
   * `session/new`, always. A `resumeSessionId` in the configuration travels in `_meta`; `session.resume` says what
   * became of it. Closing the session leaves the agent running.
   *
   * @see https://agentclientprotocol.com/protocol/v1/session-setup
   * @throws ResumeFailedError when a resume was asked for and failed; the agent stays as it is.
   * @throws AcpLauncherError `auth-required`, `request-failed`, `timeout`, `aborted`, `agent-exited`,
   * `capability-missing`, `invalid-response`, `closed`.
   */
  openSession(config: AgentStartConfig, options: OpenSessionOptions = {}): Promise<AgentSession> {
    return this.#open('session/new', config, config.resumeSessionId, options);
  }

  /**
   * `session/resume`: goes on with a session of the agent, without a replay of its history.
   *
   * @throws As {@link openSession}, and `capability-missing` when the agent does not advertise it.
   */
  resumeSession(
    sessionId: string,
    config: AgentStartConfig,
    options: OpenSessionOptions = {},
  ): Promise<AgentSession> {
    this.#assertAdvertised('session/resume', this.agentCapabilities.sessionCapabilities?.resume);
    return this.#open('session/resume', config, sessionId, options);
  }

  /**
   * `session/load`: goes on with a session of the agent, which replays its history first. The replayed updates are
   * marked `replay` and belong to no turn.
   *
   * @throws As {@link openSession}, and `capability-missing` when the agent does not advertise it.
   */
  loadSession(
    sessionId: string,
    config: AgentStartConfig,
    options: OpenSessionOptions = {},
  ): Promise<AgentSession> {
    this.#assertAdvertised('session/load', this.agentCapabilities.loadSession === true ? {} : undefined);
    return this.#open('session/load', config, sessionId, options);
  }

  /** The advertised method that goes on with a session, `session/resume` before `session/load`. */
  get nativeResumeMethod(): 'session/resume' | 'session/load' | undefined {
    if (this.agentCapabilities.sessionCapabilities?.resume != null) return 'session/resume';
    return this.agentCapabilities.loadSession === true ? 'session/load' : undefined;
  }

  /**
   * `session/list`, all pages.
   *
   * @throws AcpLauncherError `capability-missing` when the agent does not advertise it.
   */
  async *listSessions(
    filter: { readonly cwd?: string; readonly signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<SessionInfo, void, undefined> {
    this.#assertAdvertised('session/list', this.agentCapabilities.sessionCapabilities?.list);
    yield* listAllSessions((params) => this.#request('session/list', params, filter.signal), filter.cwd);
  }

  /** `session/delete`. @throws AcpLauncherError `capability-missing` when the agent does not advertise it. */
  async deleteSession(sessionId: string, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    this.#assertAdvertised('session/delete', this.agentCapabilities.sessionCapabilities?.delete);
    await this.#request('session/delete', { sessionId }, options.signal);
  }

  /** `authenticate` with a method that the agent advertised. Never called by itself, see `authMethodId`. */
  async authenticate(methodId: string, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const place = { phase: 'authenticate', method: 'authenticate', params: { methodId } } as const;
    const { authenticateTimeoutMs: timeoutMs } = this.#parts.limits;
    await this.#parts.wire.request({ ...place, timeoutMs, signal: options.signal });
  }

  /** `logout`. @throws AcpLauncherError `capability-missing` when the agent does not advertise it. */
  async logout(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    this.#assertAdvertised('logout', this.agentCapabilities.auth?.logout);
    await this.#request('logout', {}, options.signal);
  }

  /**
   * Ends every session, then the agent with its whole process tree: stdin ends, SIGTERM, SIGKILL, each after its
   * grace. Resolves when all of it is proven gone, or with the pids that survived. Idempotent, legal in every state.
   */
  close(): Promise<TerminationReport> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends the agent now, with SIGKILL, and its whole tree. An agent that was about to save its session loses it. */
  async kill(): Promise<TerminationReport> {
    this.#parts.wire.close();
    const report = this.#parts.process.kill();
    this.#closing ??= report;
    return report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** @internal The number of requests of the agent that wait for the client changed. */
  clientRequestsChanged(sessionId: string): void {
    this.#sessions.get(sessionId)?.clientRequestsOpen(this.#parts.clientRequests.openRequests(sessionId));
  }

  /** @internal A turn has ended: the agent gets time to save it before any SIGKILL. */
  turnEnded(): void {
    this.#lastTurnEnd = performance.now();
  }

  async #close(): Promise<TerminationReport> {
    await Promise.all(this.sessions.map((session) => session.closeSession()));
    this.#parts.wire.close();
    const notBefore = this.#lastTurnEnd === 0 ? 0 : this.#lastTurnEnd + this.#parts.limits.flushGraceMs;
    return this.#parts.process.close({ notBefore });
  }

  #detachSessions(): void {
    for (const session of this.sessions) session.detach();
  }

  async #open(
    method: OpeningMethod,
    config: AgentStartConfig,
    requestedSessionId: string | undefined,
    options: OpenSessionOptions,
  ): Promise<AgentSession> {
    const { wire, router, limits, process: agentProcess, authMethodId } = this.#parts;
    const { cwd = this.#parts.cwd, signal, policy } = options;
    this.#parts.redactor.add(secretsFromMcpServers(config.mcpServers));
    checkMcpTransports(config.mcpServers, this.agentCapabilities.mcpCapabilities);
    const { params, notSent } = openingParams(
      method,
      config,
      requestedSessionId,
      cwd,
      this.agentCapabilities,
    );
    for (const what of notSent) this.#parts.events.emit('not-supported', what);
    const servers = config.mcpServers.map((server) => server.name);
    const send = () =>
      sendOpeningRequest({
        wire,
        router,
        stderr: agentProcess.stderr,
        method,
        params: { ...params },
        requestedSessionId,
        policy: { ...defaultResumePolicy, ...policy },
        timeoutMs: servers.length === 0 ? limits.sessionTimeoutMs : limits.sessionWithMcpTimeoutMs,
        signal,
        note: servers.length === 0 ? undefined : `with the MCP servers ${servers.join(', ')}`,
        createSession: (sessionId) => this.#createSession(sessionId, cwd, method !== 'session/new'),
      });
    const session = await send().catch(async (error: unknown) => {
      const wanted =
        AcpLauncherError.isInstance(error) && error.code === 'auth-required' && authMethodId !== undefined;
      if (!wanted) throw error;
      await this.authenticate(authMethodId, { ...(signal === undefined ? {} : { signal }) });
      return send();
    });
    session.setResume(
      outcomeOfOpening(method, requestedSessionId, session.sessionId, this.nativeResumeMethod),
    );
    return session;
  }

  #createSession(sessionId: string, cwd: string, replaying: boolean): AgentSession {
    const { wire, router, clientRequests, client, limits } = this.#parts;
    const session = new AgentSession({
      connection: this,
      wire,
      client,
      limits,
      sessionId,
      cwd,
      replaying,
      cancelClientRequests: () => clientRequests.cancel(sessionId),
      onClosed: (closed) => {
        router.unregister(sessionId, closed);
        if (this.#sessions.get(sessionId) === closed) this.#sessions.delete(sessionId);
      },
    });
    this.#sessions.set(sessionId, session);
    return session;
  }

  #request<Response>(method: string, params: object, signal?: AbortSignal): Promise<Response> {
    const { requestTimeoutMs: timeoutMs } = this.#parts.limits;
    return this.#parts.wire.request<Response>({ phase: 'session', method, params, timeoutMs, signal });
  }

  #endError(method: string): AcpLauncherError | undefined {
    return this.#parts.wire.endError({ phase: 'session', method });
  }

  #assertAdvertised(method: string, capability: object | null | undefined): void {
    if (capability !== undefined && capability !== null) return;
    const message = `the agent does not advertise ${method}; nothing was sent`;
    throw new AcpLauncherError('capability-missing', message, { phase: 'session', method });
  }
}
