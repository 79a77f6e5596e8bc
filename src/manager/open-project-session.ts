import type { AgentConnection } from '../agent-connection.ts';
import type { AgentLauncher } from '../agent-launcher.ts';
import type { AgentSession } from '../agent-session.ts';
import type { AgentClient } from '../client/agent-client.ts';
import type { ManagerLimits } from '../config/manager-options.ts';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { KnownSessions } from '../session/known-sessions.ts';
import type { ResumePolicy } from '../session/resume-policy.ts';
import type { PointerStore } from '../session/session-store.ts';
import type { WorkSlots } from '../internal/work-slots.ts';
import { throwIfAborted } from './abort-error.ts';
import type { AgentSeats, SeatHolder } from './agent-seats.ts';
import type { CrashRecord } from './crash-record.ts';
import type { ManagerEventSource } from './manager-events.ts';
import { openWithResume, type OpenRequest } from './open-with-resume.ts';
import type { PlannedRequest } from './session-request.ts';

/** What a manager's projects have in common. */
export interface ManagedContext {
  readonly launcher: AgentLauncher;
  readonly policy: ResumePolicy;
  readonly store: PointerStore;
  readonly limits: ManagerLimits;
  readonly events: ManagerEventSource;
  readonly known: KnownSessions;
  readonly seats: AgentSeats;
  readonly slots: WorkSlots;
}

/** One session that is to be opened for a project. */
export interface ProjectOpening {
  readonly holder: SeatHolder;
  readonly crashes: CrashRecord;
  readonly request: PlannedRequest;
  /** What the session resumes, if anything. */
  readonly resumeSessionId: string | undefined;
  readonly client: AgentClient;
  readonly signal: AbortSignal;
  /** One of the agents that were started for it has ended, now or later. */
  readonly onExit: (connection: AgentConnection) => void;
  /** @defaultValue {@link openWithResume} */
  readonly open?: ((request: OpenRequest) => Promise<AgentSession>) | undefined;
}

/** Opens a project's session when its agent may live and may start. When it throws, nothing is left running. */
export async function openProjectSession(
  context: ManagedContext,
  opening: ProjectOpening,
): Promise<AgentSession> {
  const {
    holder,
    crashes,
    request,
    resumeSessionId,
    client,
    signal,
    onExit,
    open = openWithResume,
  } = opening;
  const { seats, slots, policy, events, launcher } = context;
  const { projectId } = holder;
  const config = resumeSessionId === undefined ? request.config : request.config.withResume(resumeSessionId);
  const connect = async () => {
    const { path, modelProvider } = request;
    const connection = await launcher.connect(projectId, path, modelProvider, config, client, { signal });
    connection.on('agent-exit', (exit) => {
      const expected = connection.closing;
      events.emit('agent-exit', { projectId, pid: connection.pid, exit, expected });
      onExit(connection);
    });
    connection.on('handler-error', (_method, error) => events.emit('listener-error', { error }));
    return connection;
  };
  await seats.take(holder, signal);
  try {
    const session = await slots.run(
      () =>
        open({
          connect,
          config,
          policy,
          signal,
          onAttemptFailed: (error, next) => events.emit('resume-retry', { projectId, error, next }),
        }),
      signal,
    );
    // Whoever gave it up may have done so in the very moment in which it was ready.
    if (signal.aborted) await session.connection.close();
    throwIfAborted(signal);
    return session;
  } catch (error) {
    if (AcpLauncherError.isInstance(error) && error.code === 'agent-exited') crashes.add();
    throw error;
  }
}
