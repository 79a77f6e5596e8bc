import type { AgentConnection } from '../agent-connection.ts';
import { switchableClient, type SwitchableClient } from '../client/switchable-client.ts';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { ProjectPointer } from '../session/project-pointer.ts';
import type { TurnOutcome } from '../session/prompt-turn.ts';
import type { ResumePolicy } from '../session/resume-policy.ts';
import { switchModel, type SettingChange } from '../session/session-settings.ts';
import type { SeatHolder } from './agent-seats.ts';
import type { StopReport } from './assert-ended.ts';
import { CrashRecord } from './crash-record.ts';
import { LiveSession, type LiveSessionOwner } from './live-session.ts';
import type { ManagerEventSource, SessionAction } from './manager-events.ts';
import { openProjectSession, type ManagedContext, type ProjectOpening } from './open-project-session.ts';
import { ProjectSettings } from './project-settings.ts';
import type { PlannedRequest } from './session-request.ts';

/** What a project's agent needs of the project. */
export interface ProjectAgentOwner extends SeatHolder {
  /** The agent did something, or was asked to. */
  used(): void;
  /** The agent is lost or spoiled, and must be stopped. */
  lost(live: LiveSession): void;
  promptsWait(): boolean;
  stop(): Promise<StopReport>;
}

/** How a session is opened, where not by a new agent of its own. */
export interface OpenHow {
  readonly clients?: SwitchableClient;
  readonly open?: ProjectOpening['open'];
}

/** A project's agent with its one session, from one agent to the next: what is opened, remembered and told of it. */
export class ProjectAgent implements LiveSessionOwner {
  readonly projectId: string;
  readonly events: ManagerEventSource;
  readonly policy: ResumePolicy;
  readonly pointer: ProjectPointer;
  readonly crashes: CrashRecord;
  readonly settings = new ProjectSettings();
  live: LiveSession | undefined;
  isOpening = false;
  /** Turns that were started. */
  turns = 0;
  lastErrorCode: string | undefined;
  readonly #context: ManagedContext;
  readonly #owner: ProjectAgentOwner;

  constructor(owner: ProjectAgentOwner, context: ManagedContext) {
    const { projectId } = owner;
    this.projectId = projectId;
    this.#owner = owner;
    this.#context = context;
    this.events = context.events;
    this.policy = context.policy;
    this.pointer = new ProjectPointer(context.store, projectId);
    this.crashes = new CrashRecord(projectId, context.limits);
  }

  /** Opens a session, and makes it the live one. When it throws, nothing is left running. */
  async open(
    request: PlannedRequest,
    resumeSessionId: string | undefined,
    signal: AbortSignal,
    { clients = switchableClient(request.client), open }: OpenHow = {},
  ): Promise<LiveSession> {
    const { projectId, crashes } = this;
    const { known } = this.#context;
    const { fingerprint } = request.wanted;
    this.isOpening = true;
    try {
      const { client } = clients;
      const session = await openProjectSession(this.#context, {
        holder: this.#owner,
        crashes,
        request,
        resumeSessionId,
        client,
        signal,
        onExit: (connection) => this.#onExit(connection),
        open,
      });
      const { sessionId, cwd, resume } = session;
      this.live = new LiveSession(this, session, clients, fingerprint);
      this.settings.startsWithModel(fingerprint.model);
      known.add(sessionId, { projectId, cwd });
      if ('requestedSessionId' in resume)
        known.replace(resume.requestedSessionId, sessionId, { projectId, cwd });
      this.#owner.used();
      return this.live;
    } finally {
      this.isOpening = false;
    }
  }

  /** Tells of a new session, and sets in it what was set in the one before. */
  async announce(live: LiveSession, action: SessionAction): Promise<void> {
    const { projectId, events } = this;
    const { session } = live;
    const { resume } = session;
    events.emit('session-open', { projectId, session, resume, action });
    if (resume.status === 'fell-back' || resume.status === 'ignored')
      events.emit('resume-fallback', { projectId, session, resume });
    for (const { setting, error } of await this.settings.restore(session))
      events.emit('setting-lost', { projectId, setting, error });
  }

  /** Switches the live session to the request's model, if its agent can. Whether it did. */
  async switchModel(live: LiveSession, { wanted, modelProvider }: PlannedRequest): Promise<boolean> {
    const isSwitched = await switchModel(live.session, modelProvider?.defaultModel);
    if (!isSwitched) return false;
    live.fingerprint = wanted.fingerprint;
    this.settings.switchedModel(wanted.fingerprint.model);
    return true;
  }

  /** Ends the agent with everything that it started. Resolves when the pointer is written as well. */
  async stop(): Promise<StopReport> {
    const { live } = this;
    if (live === undefined) return { survivors: [] };
    live.isStopping = true;
    // What a dead agent has said is still being read: closing would take that, and the error, from its turn.
    if (live.connection.exit !== undefined) await live.session.closed;
    const { survivors } = await live.connection.close();
    await live.settled();
    this.live = undefined;
    return { survivors };
  }

  /** The last chance to write the pointer where that failed before: this process may end now. */
  async saveAgain(): Promise<void> {
    const { projectId, events, pointer } = this;
    await pointer.saveAgain().catch((error: unknown) => {
      events.emit('store-error', { projectId, error });
    });
  }

  noteError(error: unknown): void {
    this.lastErrorCode = AcpLauncherError.isInstance(error) ? error.code : 'unknown';
  }

  promptsWait(): boolean {
    return this.#owner.promptsWait();
  }

  turnStarted(): void {
    this.turns += 1;
    this.#owner.used();
  }

  turnEnded(outcome: TurnOutcome): void {
    this.#owner.used();
    if ('error' in outcome) this.noteError(outcome.error);
  }

  settingChanged(live: LiveSession, change: SettingChange): void {
    if (live === this.live) this.settings.note(change, live.session);
  }

  cancelIgnored(live: LiveSession): void {
    if (live === this.live) this.#owner.lost(live);
  }

  sessionEnded(live: LiveSession): void {
    if (live === this.live && !live.isStopping) this.#owner.lost(live);
  }

  closeSession(live: LiveSession): Promise<unknown> {
    // One that was replaced ends alone.
    return live === this.live && !live.isStopping ? this.#owner.stop() : live.session.closeSession();
  }

  #onExit(connection: AgentConnection): void {
    const { live } = this;
    // What dies while it is opened fails the launch, and counts once with that.
    if (live?.connection !== connection) return;
    if (!connection.closing) {
      this.crashes.add();
      this.lastErrorCode = 'agent-exited';
    }
  }
}
