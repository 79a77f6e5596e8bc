import { AgentLauncher } from './agent-launcher.ts';
import type { AgentSession } from './agent-session.ts';
import type { AgentClient } from './client/agent-client.ts';
import { checkClient } from './client/check-client.ts';
import { checkOptions, numberKinds } from './internal/check-input.ts';
import { defaultManagerLimits, resolveManagerLimits, type ManagerLimits } from './config/manager-options.ts';
import { AcpLauncherError } from './errors/acp-launcher-error.ts';
import { followSignals } from './internal/follow-signals.ts';
import type { LauncherOptions } from './launch-plan.ts';
import { throwIfAborted, untilAborted } from './manager/abort-error.ts';
import { AgentSeats } from './manager/agent-seats.ts';
import { assertEnded } from './manager/assert-ended.ts';
import { checkLogger } from './manager/check-logger.ts';
import { checkChatPrompt, checkRequest } from './manager/check-request.ts';
import { ManagedProject } from './manager/managed-project.ts';
import type { Logger, ManagerEvents } from './manager/manager-events.ts';
import { logEvents } from './manager/manager-log.ts';
import type { ManagedContext } from './manager/open-project-session.ts';
import { Projects } from './manager/projects.ts';
import type { ProjectSnapshot } from './manager/project-snapshot.ts';
import { runPrompt } from './manager/run-prompt.ts';
import {
  planRequest,
  type ChatPrompt,
  type ManagedTurn,
  type PlannedRequest,
  type SessionGrant,
  type SessionRequest,
} from './manager/session-request.ts';
import { SharedWork } from './manager/shared-work.ts';
import { KnownSessions } from './session/known-sessions.ts';
import { resolveResumePolicy, type ResumePolicy } from './session/resume-policy.ts';
import { PointerStore, type SessionStore } from './session/session-store.ts';
import { WorkSlots } from './internal/work-slots.ts';
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

const managerOptionKinds = {
  ...numberKinds(defaultManagerLimits),
  launcher: 'object',
  client: 'object',
  resumePolicy: 'object',
  store: 'object',
  logger: 'object',
} as const;

/**
 * One session per project: opened when it is needed, resumed after its agent has stopped, replaced when the
 * configuration changes, stopped when it is idle. What becomes of a conversation is always told, by `session.resume`
 * and by events.
 *
 * One manager, in one process, owns a project at a time. The store hands projects over between processes; it is no
 * lock. Where several runners may reach for the same project, take a lease on it before its first request, and give
 * it back after `stop` has resolved.
 */
export class SessionManager implements AsyncDisposable {
  readonly #launcher: AgentLauncher;
  readonly #client: AgentClient;
  readonly #context: ManagedContext;
  readonly #events: TypedEvents<ManagerEvents>;
  readonly #projects: Projects;
  readonly #sharing = new SharedWork<SessionGrant>();
  #newSessions = 0;
  #shutdown: Promise<void> | undefined;

  /** @throws AcpLauncherError `invalid-config` naming the option. */
  constructor(options: SessionManagerOptions = {}) {
    checkOptions(options, managerOptionKinds);
    checkClient(options.client ?? {});
    if (options.logger !== undefined) checkLogger(options.logger);
    const { launcher = {}, client = {}, resumePolicy = {}, store = new Map(), logger } = options;
    const limits = resolveManagerLimits(options);
    this.#launcher = launcher instanceof AgentLauncher ? launcher : new AgentLauncher(launcher);
    this.#client = client;
    this.#events = new TypedEvents<ManagerEvents>((event, error) => {
      if (event !== 'listener-error') this.#events.emit('listener-error', { error });
    });
    if (logger !== undefined) logEvents(this.#events, logger);
    this.#context = {
      launcher: this.#launcher,
      policy: resolveResumePolicy(resumePolicy),
      store: new PointerStore(store),
      limits,
      events: this.#events,
      known: new KnownSessions(),
      seats: new AgentSeats(limits.maxAgents),
      slots: new WorkSlots(limits.maxStartingAgents),
    };
    this.#projects = new Projects((projectId) => new ManagedProject(projectId, this.#context));
  }

  /** Calls `listener` on each event; returns what removes it. A listener that throws breaks nothing. */
  on<Name extends keyof ManagerEvents>(
    name: Name,
    listener: (...values: ManagerEvents[Name]) => unknown,
  ): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * The project's session: the live one where it fits, else one that continues the conversation, else a new one;
   * `action` and `session.resume` say which. Concurrent calls with the same configuration share one launch; others of
   * the same project take turns.
   *
   * @throws AcpLauncherError `session-busy`, `session-conflict`, `store-failed`, `too-many-agents`, `crash-budget`,
   * `aborted`, `closed`, and what a launch throws.
   * @throws ResumeFailedError when the policy allows no fallback.
   */
  async getOrCreate(request: SessionRequest): Promise<SessionGrant> {
    checkRequest(request);
    return this.#request(request, async (project, signal) =>
      this.#grant(project, await this.#plan(request, signal), signal),
    );
  }

  /**
   * Sends a prompt to the project's session, after the prompts that were asked for before. Resolves when it is known
   * which session runs the turn: when the turns before it have settled, and for the first prompt after a resume with
   * its first update or its end, since an agent may only then say that it does not know the session; the prompt is
   * then sent once more, to a fresh session.
   *
   * @throws As {@link getOrCreate}, and `queue-full`; what goes wrong in the turn itself is for `turn.result` to tell.
   */
  async prompt(request: ChatPrompt): Promise<ManagedTurn> {
    checkChatPrompt(request);
    return this.#request(request, async (project, signal) => {
      const plan = (until: AbortSignal) => this.#plan(request, until);
      const grant = (planned: PlannedRequest, until: AbortSignal) => this.#grant(project, planned, until);
      return runPrompt({ project, request, plan, grant, signal });
    });
  }

  /** The live session of a project. */
  get(projectId: string): AgentSession | undefined {
    return this.#projects.find(projectId)?.session;
  }

  /** The projects that have a live session. */
  list(): readonly string[] {
    return this.#projects
      .all()
      .filter(({ session }) => session !== undefined)
      .map(({ projectId }) => projectId);
  }

  /**
   * Ends what a project is doing for a prompt: the running turn, which settles as cancelled; where none runs, the
   * first prompt that has not been sent yet, whose session may just be opening, and which rejects with `aborted`. A
   * launch that nobody else waits for is given up with it. Prompts that wait behind it follow; {@link stop} ends
   * those as well. Starts nothing, and never rejects.
   */
  async cancel(projectId: string): Promise<void> {
    await this.#projects.find(projectId)?.cancel();
  }

  /**
   * Stops a project's agent and keeps its conversation: the next request goes on with it. What was asked before ends
   * with `closed`. Starts nothing.
   *
   * @throws AcpLauncherError `shutdown-incomplete` when a process of the agent survived every signal.
   */
  async stop(projectId: string): Promise<void> {
    const report = await this.#projects.find(projectId)?.stop();
    assertEnded(report === undefined ? [] : [report]);
  }

  /**
   * Stops a project's agent and drops its conversation, in the store too. What was asked before ends with `closed`,
   * and can't bring it back. Starts nothing.
   *
   * @throws AcpLauncherError `store-failed`; `shutdown-incomplete` as {@link stop}.
   */
  async forget(projectId: string): Promise<void> {
    const project = this.#projects.get(projectId);
    const release = project.hold();
    try {
      assertEnded([await project.forget()]);
    } finally {
      release();
      this.#projects.drop(project);
    }
  }

  /**
   * Stops every agent, keeps every conversation, and refuses what is asked later. Waits for what is being written to
   * the store, no longer than {@link SessionStore} says. Idempotent.
   *
   * @throws AcpLauncherError `shutdown-incomplete` when processes survived every signal; all else is ended by then.
   */
  shutdown(): Promise<void> {
    this.#shutdown ??= this.#stopAll();
    return this.#shutdown;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }

  /** The state of every project that the manager knows, for health endpoints. Holds no secret. */
  snapshot(): readonly ProjectSnapshot[] {
    return this.#projects.all().map((project) => project.snapshot());
  }

  async #stopAll(): Promise<void> {
    assertEnded(await Promise.all(this.#projects.all().map((project) => project.stop())));
  }

  /** Serves a request until its caller aborts, or the project is stopped. */
  async #request<Result>(
    request: SessionRequest,
    serve: (project: ManagedProject, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    if (this.#shutdown !== undefined)
      throw new AcpLauncherError('closed', 'the session manager was shut down', { phase: 'shutdown' });
    const project = this.#projects.get(request.projectId);
    const followed = followSignals(project.asked, request.signal);
    const { signal } = followed;
    const letGo = project.hold();
    try {
      throwIfAborted(signal);
      return await serve(project, signal);
    } finally {
      followed.release();
      letGo();
    }
  }

  async #plan(request: SessionRequest, signal: AbortSignal): Promise<PlannedRequest> {
    return untilAborted(planRequest(this.#launcher, this.#client, request), signal);
  }

  /** Joins a launch that is under way for the same wish, or begins one. */
  async #grant(project: ManagedProject, planned: PlannedRequest, signal: AbortSignal): Promise<SessionGrant> {
    const { projectId, sessionId, newSession, evenDuringTurn, cwd, agentId, fingerprint } = planned.wanted;
    const { asked } = project;
    const begin = async (abandoned: AbortSignal) => {
      const followed = followSignals(abandoned, asked);
      try {
        return await project.serve(planned, followed.signal);
      } finally {
        followed.release();
      }
    };
    const wish = [projectId, sessionId, evenDuringTurn, cwd, agentId, fingerprint.model, fingerprint.rest];
    // Two wishes for a new session are two sessions.
    const key = JSON.stringify(newSession === true ? [...wish, (this.#newSessions += 1)] : wish);
    const grant = await this.#sharing.join(key, begin, signal);
    // It may have been opened for somebody else, who may have given up: what that one allows is not for this one.
    project.useClient(grant.session, planned.client);
    return grant;
  }
}
