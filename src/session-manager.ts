import type { ContentBlock } from '@agentclientprotocol/sdk';
import { AgentLauncher } from './agent-launcher.ts';
import type { LauncherOptions } from './launch-plan.ts';
import type { AgentSession } from './agent-session.ts';
import type { AgentClient } from './client/agent-client.ts';
import { attachmentBlocks, type Attachment } from './client/attachments.ts';
import type { AgentServerInput } from './config/agent-command.ts';
import { AgentStartConfig, type AgentStartConfigInput } from './config/agent-start-config.ts';
import { configurationFingerprints } from './config/fingerprint.ts';
import { resolveManagerLimits, type ManagerLimits } from './config/manager-options.ts';
import type { McpServersInput } from './config/mcp-servers.ts';
import type { ModelProviderConfig } from './config/model-provider.ts';
import { AcpLauncherError } from './errors/acp-launcher-error.ts';
import { withDeadline } from './internal/deadline.ts';
import {
  ManagedProject,
  type ManagedContext,
  type PlannedRequest,
  type ProjectSnapshot,
} from './managed-project.ts';
import { logEvents } from './manager-log.ts';
import type { Logger, ManagerEvents, SessionAction } from './manager-events.ts';
import { firstPromptRejection } from './session/first-prompt.ts';
import { decideSession, type KnownSession } from './session/decide-session.ts';
import type { PromptTurn } from './session/prompt-turn.ts';
import { allowsFallback } from './session/next-step.ts';
import { resolveResumePolicy, type ResumePolicy } from './session/resume-policy.ts';
import { PointerStore, type SessionStore } from './session/session-store.ts';
import { StartSlots } from './session/start-slots.ts';
import { TypedEvents } from './session/typed-events.ts';

export interface SessionManagerOptions extends Partial<ManagerLimits> {
  /** How agents are started. @defaultValue a launcher with its default options */
  readonly launcher?: AgentLauncher | LauncherOptions | undefined;
  /** What agents may ask for, unless a request brings its own. */
  readonly client?: AgentClient | undefined;
  readonly resumePolicy?: Partial<ResumePolicy> | undefined;
  /** Where the pointers to conversations live. @defaultValue the memory of this process */
  readonly store?: SessionStore | undefined;
  /** @defaultValue silent */
  readonly logger?: Logger | undefined;
}

/** A wish for a project's session. */
export interface SessionRequest {
  readonly projectId: string;
  readonly projectPath: string;
  /** The conversation to go on with; by default the project's own. */
  readonly sessionId?: string | undefined;
  /** Begins a new conversation; the old one stays reachable by its id. */
  readonly newSession?: boolean | undefined;
  readonly modelProvider?: ModelProviderConfig | undefined;
  readonly systemPrompt?: string | undefined;
  readonly mcpServers?: McpServersInput | undefined;
  readonly agentServer?: AgentServerInput | undefined;
  /** Anything else of the session's configuration; the fields beside it win. */
  readonly startConfig?: Omit<AgentStartConfigInput, 'resumeSessionId'> | undefined;
  readonly client?: AgentClient | undefined;
  /** Lets a changed configuration end a running turn. @defaultValue false: it is refused with `session-busy` */
  readonly evenDuringTurn?: boolean | undefined;
  /** Ends the wait; a launch that somebody else waits for goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** A prompt for a project. */
export interface ChatPrompt extends SessionRequest {
  readonly prompt: string | readonly ContentBlock[];
  /** Travels as `_meta.request_id`. */
  readonly requestId?: string | undefined;
  /** Files and buffers that become content blocks behind the prompt. */
  readonly attachments?: readonly Attachment[] | undefined;
}

/** A session and how it came to serve the request. */
export interface SessionGrant {
  readonly session: AgentSession;
  readonly action: SessionAction;
}

/** A turn with the session that runs it. */
export interface ManagedTurn extends SessionGrant {
  readonly turn: PromptTurn;
}

/** How many session ids are remembered to be refused for other projects. */
const maxKnownSessions = 10_000;

/**
 * One session per project: opened when it is needed, resumed after its agent has stopped, replaced when the
 * configuration changes, stopped when it is idle. What becomes of a conversation is always told, by `session.resume`
 * and by events.
 *
 * One manager, in one process, owns a project at a time. The store hands projects over between processes.
 */
export class SessionManager implements AsyncDisposable {
  readonly #launcher: AgentLauncher;
  readonly #client: AgentClient;
  readonly #limits: ManagerLimits;
  readonly #context: ManagedContext;
  readonly #events: TypedEvents<ManagerEvents>;
  readonly #projects = new Map<string, ManagedProject>();
  readonly #sharing = new Map<string, SharedGrant>();
  readonly #known = new Map<string, KnownSession>();
  /** Projects whose agents are starting. */
  readonly #admitted = new Set<string>();
  #shutdown: Promise<void> | undefined;

  /** @throws AcpLauncherError `invalid-config` naming the option. */
  constructor(options: SessionManagerOptions = {}) {
    const { launcher = {}, client = {}, resumePolicy = {}, store = new Map(), logger } = options;
    this.#launcher = launcher instanceof AgentLauncher ? launcher : new AgentLauncher(launcher);
    this.#client = client;
    this.#limits = resolveManagerLimits(options);
    this.#events = new TypedEvents<ManagerEvents>((event, error) => {
      if (event !== 'listener-error') this.#events.emit('listener-error', { error });
    });
    if (logger !== undefined) logEvents(this.#events, logger);
    const slots = new StartSlots(this.#limits.maxStartingAgents);
    this.#context = {
      launcher: this.#launcher,
      policy: resolveResumePolicy(resumePolicy),
      pointers: new PointerStore(store),
      limits: this.#limits,
      events: this.#events,
      startSlot: (projectId, work, signal) => slots.run(() => this.#withRoom(projectId, work), signal),
      remember: (sessionId, projectId, cwd) => this.#remember(sessionId, { projectId, cwd }),
    };
  }

  /** Calls `listener` on each event; returns what removes it. A listener that throws breaks nothing. */
  on<Name extends keyof ManagerEvents>(
    name: Name,
    listener: (...values: ManagerEvents[Name]) => unknown,
  ): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * The project's session: the live one where it fits, else one that continues the conversation, else a new one.
   * Concurrent calls with the same configuration share one launch; others of the same project take turns.
   *
   * @throws AcpLauncherError `session-busy`, `session-conflict`, `store-failed`, `too-many-agents`, `crash-budget`,
   * `aborted`, `closed`, and what a launch throws.
   * @throws ResumeFailedError when the policy allows no fallback.
   */
  async getOrCreate(request: SessionRequest): Promise<SessionGrant> {
    const planned = await this.#plan(request);
    return this.#grant(request, planned);
  }

  /**
   * Sends a prompt to the project's session. Resolves when it is known which session runs the turn: for the first
   * prompt after a resume that is with its first update or its end, since an agent may only then say that it does
   * not know the session; the prompt is then sent once more, to a fresh session.
   *
   * @throws As {@link getOrCreate}; what goes wrong in the turn itself is for `turn.result` to tell.
   */
  async prompt(request: ChatPrompt): Promise<ManagedTurn> {
    const planned = await this.#plan(request);
    const { session, action } = await this.#grant(request, planned);
    const content = await promptBlocks(request, session);
    const options = { signal: request.signal, requestId: request.requestId };
    const unproven = session.resume.status === 'resumed' && session.turnCount === 0;
    const turn = session.prompt(content, options);
    const { policy } = this.#context;
    const rejection = unproven ? await firstPromptRejection(turn, session, policy.keywords) : undefined;
    if (rejection === undefined || !allowsFallback(policy, 'missing')) return { session, action, turn };
    const project = this.#project(request.projectId);
    const fresh = await project.enqueue(() => project.replaceRejected(session, planned, rejection));
    return { session: fresh, action, turn: fresh.prompt(content, options) };
  }

  /** The live session of a project. */
  get(projectId: string): AgentSession | undefined {
    return this.#projects.get(projectId)?.session;
  }

  /** The projects that have a live session. */
  list(): readonly string[] {
    return [...this.#projects.values()]
      .filter(({ session }) => session !== undefined)
      .map(({ projectId }) => projectId);
  }

  /** Ends the running turn of a project, if there is one. Starts nothing, and never rejects. */
  async cancel(projectId: string): Promise<void> {
    await this.get(projectId)?.cancel();
  }

  /** Stops a project's agent and keeps its conversation: the next request goes on with it. Starts nothing. */
  async stop(projectId: string): Promise<void> {
    await this.#projects.get(projectId)?.stop();
  }

  /** Stops a project's agent and drops its conversation, in the store too. Starts nothing. */
  async forget(projectId: string): Promise<void> {
    this.#assertOpen();
    await this.#project(projectId).forget();
    this.#projects.delete(projectId);
  }

  /** Stops every agent, keeps every conversation, and refuses what is asked later. Idempotent. */
  shutdown(): Promise<void> {
    this.#shutdown ??= Promise.all([...this.#projects.values()].map((project) => project.stop())).then(
      () => undefined,
    );
    return this.#shutdown;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }

  /** The state of every project that the manager knows, for health endpoints. Holds no secret. */
  snapshot(): readonly ProjectSnapshot[] {
    const now = Date.now();
    return [...this.#projects.values()].map((project) => project.snapshot(now));
  }

  async #plan(request: SessionRequest): Promise<PlannedRequest> {
    this.#assertOpen();
    const { projectId, projectPath, systemPrompt, mcpServers, agentServer, startConfig, modelProvider } =
      request;
    const given = Object.entries({ systemPrompt, mcpServers, agentServer }).filter(
      ([, value]) => value !== undefined,
    );
    const config = new AgentStartConfig({ ...startConfig, ...Object.fromEntries(given) });
    const plan = await this.#launcher.planLaunch(projectId, projectPath, modelProvider, config);
    const { command, args, env } = plan.command;
    // Keys differ from launch to launch in no way that matters; the system prompt restarts nothing by itself.
    const fingerprint = configurationFingerprints({
      command,
      args,
      env,
      mcpServers: config.mcpServers,
      modelProvider: plan.modelProvider,
    });
    return {
      plan,
      path: projectPath,
      config,
      modelProvider,
      fingerprint,
      client: { ...this.#client, ...request.client },
    };
  }

  /** Joins a launch that is under way for the same wish, or begins one. */
  async #grant(request: SessionRequest, planned: PlannedRequest): Promise<SessionGrant> {
    const { projectId, sessionId = '', newSession = false, signal } = request;
    const { model, rest } = planned.fingerprint;
    const key = JSON.stringify([projectId, sessionId, newSession, model, rest, planned.plan.cwd]);
    // Two wishes for a new session are two sessions.
    let shared = newSession ? undefined : this.#sharing.get(key);
    if (shared === undefined) {
      shared = new SharedGrant((launchSignal) => this.#carryOut(request, planned, launchSignal));
      this.#sharing.set(key, shared);
      const mine = shared;
      const done = () => {
        if (this.#sharing.get(key) === mine) this.#sharing.delete(key);
      };
      shared.promise.then(done, done);
    }
    return shared.wait(signal);
  }

  #carryOut(request: SessionRequest, planned: PlannedRequest, signal: AbortSignal): Promise<SessionGrant> {
    const project = this.#project(request.projectId);
    return project.enqueue(async () => {
      this.#assertOpen();
      signal.throwIfAborted();
      try {
        const stored = await this.#context.pointers.read(project.projectId);
        if (stored.status === 'found')
          this.#remember(stored.pointer.sessionId, { projectId: project.projectId, cwd: stored.pointer.cwd });
        if (stored.status === 'unreadable')
          this.#events.emit('pointer-unreadable', { projectId: project.projectId, problem: stored.problem });
        const wanted = {
          ...request,
          cwd: planned.plan.cwd,
          agentId: planned.plan.command.agentId,
          fingerprint: planned.fingerprint,
        };
        const known = request.sessionId === undefined ? undefined : this.#known.get(request.sessionId);
        const decision = decideSession(project.projectId, wanted, project.describeLive(), stored, known);
        if (decision.action === 'refuse')
          throw new AcpLauncherError(decision.code, decision.why, {
            phase: 'session',
            sessionId: request.sessionId,
          });
        return await project.carryOut(decision, planned, stored, signal);
      } catch (error) {
        project.noteError(error);
        throw error;
      }
    });
  }

  /** Makes room for one more agent: those that are starting count, and an idle one is stopped where it is full. */
  async #withRoom<Result>(projectId: string, work: () => Promise<Result>): Promise<Result> {
    const { maxAgents } = this.#limits;
    const others = [...this.#projects.values()].filter(
      (project) =>
        project.projectId !== projectId &&
        (project.session !== undefined || this.#admitted.has(project.projectId)),
    );
    if (others.length >= maxAgents) {
      const now = Date.now();
      const idle = others
        .filter((project) => !project.busy)
        .sort((a, b) => (b.idleMs(now) ?? 0) - (a.idleMs(now) ?? 0))[0];
      if (idle === undefined) {
        const message = `${others.length} agents live already (maxAgents) and none of them is idle`;
        throw new AcpLauncherError('too-many-agents', message, { phase: 'spawn' });
      }
      this.#admitted.add(projectId);
      await idle.stop();
    }
    this.#admitted.add(projectId);
    try {
      return await work();
    } finally {
      this.#admitted.delete(projectId);
    }
  }

  #project(projectId: string): ManagedProject {
    const project = this.#projects.get(projectId) ?? new ManagedProject(projectId, this.#context);
    this.#projects.set(projectId, project);
    return project;
  }

  #remember(sessionId: string, known: KnownSession): void {
    this.#known.delete(sessionId);
    this.#known.set(sessionId, known);
    const oldest = this.#known.keys().next();
    if (this.#known.size > maxKnownSessions && oldest.done !== true) this.#known.delete(oldest.value);
  }

  #assertOpen(): void {
    if (this.#shutdown === undefined) return;
    throw new AcpLauncherError('closed', 'the session manager was shut down', { phase: 'shutdown' });
  }
}

/** The prompt with its attachments, as this session's agent takes them. */
async function promptBlocks(
  request: ChatPrompt,
  session: AgentSession,
): Promise<string | readonly ContentBlock[]> {
  const { prompt, attachments = [] } = request;
  if (attachments.length === 0) return prompt;
  const blocks = await attachmentBlocks(attachments, session.connection.agentCapabilities.promptCapabilities);
  return [...(typeof prompt === 'string' ? [{ type: 'text' as const, text: prompt }] : prompt), ...blocks];
}

/** A launch that several callers wait for; it is given up when none of them does any more. */
class SharedGrant {
  readonly promise: Promise<SessionGrant>;
  readonly #controller = new AbortController();
  #waiting = 0;

  constructor(start: (signal: AbortSignal) => Promise<SessionGrant>) {
    this.promise = start(this.#controller.signal);
    this.promise.catch(() => undefined);
  }

  async wait(signal: AbortSignal | undefined): Promise<SessionGrant> {
    this.#waiting += 1;
    try {
      const onAbort = (reason: unknown) =>
        new AcpLauncherError('aborted', "the caller aborted while the project's session was opened", {
          phase: 'session',
          cause: reason,
        });
      return await withDeadline(this.promise, { signal, onAbort, onTimeout: () => new Error('unreachable') });
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#controller.abort();
    }
  }
}
