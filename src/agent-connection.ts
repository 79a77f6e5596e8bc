import type { AgentCapabilities, ClientContext, Implementation, SessionInfo } from '@agentclientprotocol/sdk';
import { AgentSession } from './agent-session.ts';
import type { AgentPreset } from './config/presets/agent-preset.ts';
import type { AgentStartConfig, AgentStartConfigInput } from './config/agent-start-config.ts';
import type { ConnectionParts } from './connection-parts.ts';
import { AcpLauncherError } from './errors/acp-launcher-error.ts';
import { checkText } from './internal/check-input.ts';
import type { AgentExit } from './process/agent-process.ts';
import { asStartConfig } from './launch-plan.ts';
import type { TerminationReport } from './process/terminate-agent.ts';
import { assertAdvertised, nativeResumeMethod, type OptionalMethod } from './session/advertised.ts';
import type { ConnectionEvents } from './session/connection-events.ts';
import { listAllSessions } from './session/list-sessions.ts';
import { openSession, type OpenSessionOptions } from './session/open-session.ts';
import type { OpeningMethod } from './session/opening-params.ts';
import { checkRequestOptions, type RequestOptions } from './session/request-options.ts';
import { outcomeOfOpening } from './session/resume-outcome.ts';

type StartConfig = AgentStartConfig | AgentStartConfigInput;

export type { ConnectionEvents } from './session/connection-events.ts';
export type { OpenSessionOptions } from './session/open-session.ts';

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
  #closing = false;
  #end: Promise<TerminationReport> | undefined;
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
    // An agent that is gone, or can't be talked to any more, is of no use: what it left behind ends as well.
    void parts.wire.closed.then(() => this.#endOnce());
  }

  /** How the agent ended, once it has. */
  get exit(): AgentExit | undefined {
    return this.#parts.process.exit;
  }

  /** Whether requests can still be answered. */
  get alive(): boolean {
    return this.exit === undefined && this.#end === undefined && !this.#parts.wire.ended;
  }

  /** Whether `close()` or `kill()` was called while it lived: an exit that follows is no crash. */
  get closing(): boolean {
    return this.#closing;
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
   * `capability-missing`, `invalid-response`, `closed`, `session-conflict`, `cwd-missing`, `invalid-config`.
   */
  openSession(config: StartConfig, options: OpenSessionOptions = {}): Promise<AgentSession> {
    return this.#open('session/new', config, undefined, options);
  }

  /**
   * `session/resume`: goes on with a session of the agent, without a replay of its history.
   *
   * @throws As {@link openSession}, and `capability-missing` when the agent does not advertise it.
   */
  async resumeSession(
    sessionId: string,
    config: StartConfig,
    options: OpenSessionOptions = {},
  ): Promise<AgentSession> {
    checkText(sessionId, 'sessionId');
    assertAdvertised('session/resume', this.agentCapabilities);
    return this.#open('session/resume', config, sessionId, options);
  }

  /**
   * `session/load`: goes on with a session of the agent, which replays its history first. The replayed updates are
   * marked `replay` and belong to no turn.
   *
   * @throws As {@link openSession}, and `capability-missing` when the agent does not advertise it.
   */
  async loadSession(
    sessionId: string,
    config: StartConfig,
    options: OpenSessionOptions = {},
  ): Promise<AgentSession> {
    checkText(sessionId, 'sessionId');
    assertAdvertised('session/load', this.agentCapabilities);
    return this.#open('session/load', config, sessionId, options);
  }

  /** The advertised method that goes on with a session, `session/resume` before `session/load`. */
  get nativeResumeMethod(): 'session/resume' | 'session/load' | undefined {
    return nativeResumeMethod(this.agentCapabilities);
  }

  /**
   * `session/list`, all pages.
   *
   * @throws AcpLauncherError `capability-missing` when the agent does not advertise it.
   */
  async *listSessions(
    filter: RequestOptions & { readonly cwd?: string } = {},
  ): AsyncGenerator<SessionInfo, void, undefined> {
    checkRequestOptions(filter, 'filter.', { cwd: 'text' });
    const { cwd, ...options } = filter;
    const requestPage = (params: object) => this.#request('session/list', params, options);
    yield* listAllSessions(requestPage, cwd, (value) => this.#parts.wire.shown(value));
  }

  /** `session/delete`. @throws AcpLauncherError `capability-missing` when the agent does not advertise it. */
  async deleteSession(sessionId: string, options: RequestOptions = {}): Promise<void> {
    checkText(sessionId, 'sessionId');
    await this.#request('session/delete', { sessionId }, options);
  }

  /** `authenticate` with a method that the agent advertised. Never called by itself, see `authMethodId`. */
  async authenticate(methodId: string, options: RequestOptions = {}): Promise<void> {
    checkText(methodId, 'methodId');
    checkRequestOptions(options);
    const place = { phase: 'authenticate', method: 'authenticate', params: { methodId } } as const;
    const { authenticateTimeoutMs: timeoutMs } = this.#parts.limits;
    await this.#parts.wire.request({ ...place, timeoutMs, signal: options.signal });
  }

  /** `logout`. @throws AcpLauncherError `capability-missing` when the agent does not advertise it. */
  async logout(options: RequestOptions = {}): Promise<void> {
    await this.#request('logout', {}, options);
  }

  /**
   * Ends every session, then the agent with its whole tree: stdin ends, SIGTERM, SIGKILL, each after its grace. Resolves
   * when all is proven gone, or with the pids that survived. Idempotent, legal in every state.
   */
  close(): Promise<TerminationReport> {
    this.#closing ||= this.alive;
    return this.#endOnce();
  }

  /** Ends the agent now, with SIGKILL, and its whole tree. An agent that was about to save its session loses it. */
  async kill(): Promise<TerminationReport> {
    this.#closing ||= this.alive;
    const killed = this.#parts.process.kill();
    this.#parts.wire.close();
    const [report] = await Promise.all([killed, this.#endOnce()]);
    return report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** @internal */
  session(sessionId: string): AgentSession | undefined {
    return this.#sessions.get(sessionId);
  }

  /** @internal A turn has ended: the agent gets time to save it before any SIGKILL. */
  turnEnded(): void {
    this.#lastTurnEnd = performance.now();
  }

  #endOnce(): Promise<TerminationReport> {
    this.#end ??= this.#endAll();
    return this.#end;
  }

  async #endAll(): Promise<TerminationReport> {
    await Promise.all(this.sessions.map((session) => session.closeSession()));
    this.#parts.wire.close();
    const notBefore = this.#lastTurnEnd === 0 ? 0 : this.#lastTurnEnd + this.#parts.limits.flushGraceMs;
    const report = await this.#parts.process.close({ notBefore });
    if (report.survivors.length > 0) this.#end = undefined;
    return report;
  }

  async #open(
    method: OpeningMethod,
    config: StartConfig,
    sessionId: string | undefined,
    options: OpenSessionOptions,
  ): Promise<AgentSession> {
    this.#assertOpen(method);
    const startConfig = asStartConfig(config);
    const agent = {
      ...this.#parts,
      capabilities: this.agentCapabilities,
      isOpen: (sessionId: string) => this.#sessions.has(sessionId),
      authenticate: (methodId: string, signal: AbortSignal | undefined) =>
        this.authenticate(methodId, { signal }),
      onNotSent: (what: string) => this.#parts.events.emit('not-supported', what),
    };
    const requestedId = sessionId ?? startConfig.resumeSessionId;
    const session = await openSession(agent, {
      method,
      config: startConfig,
      requestedSessionId: requestedId,
      options,
      createSession: (sessionId, cwd, replaying) => this.#createSession(sessionId, cwd, replaying),
    });
    session.setResume(outcomeOfOpening(method, requestedId, session.sessionId, this.nativeResumeMethod));
    return session;
  }

  #createSession(sessionId: string, cwd: string, replaying: boolean): AgentSession {
    const { wire, router, clientRequests, client, limits } = this.#parts;
    // An agent that gives the same id twice has one session of that name: the later one.
    this.#sessions.get(sessionId)?.detach();
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

  async #request(method: OptionalMethod, params: object, options: RequestOptions): Promise<unknown> {
    checkRequestOptions(options);
    assertAdvertised(method, this.agentCapabilities);
    this.#assertOpen(method);
    const { requestTimeoutMs: timeoutMs } = this.#parts.limits;
    return this.#parts.wire.request({ ...options, phase: 'session', method, params, timeoutMs });
  }

  #assertOpen(method: string): void {
    const ended = this.#parts.wire.endError({ phase: 'session', method });
    if (ended === undefined && this.#end === undefined) return;
    throw ended ?? new AcpLauncherError('closed', 'the agent is being closed', { phase: 'session', method });
  }
}
