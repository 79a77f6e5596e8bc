import type { ResumeOutcome } from '../session/resume-outcome.ts';
import type { ProjectAgent } from './project-agent.ts';

/** What a health endpoint wants to know of a project. Holds no secret. */
export interface ProjectSnapshot {
  readonly projectId: string;
  readonly state: 'starting' | 'idle' | 'running' | 'stopping' | 'stopped';
  readonly pid: number | undefined;
  readonly sessionId: string | undefined;
  readonly resume: ResumeOutcome['status'] | undefined;
  /** Milliseconds since it last did anything; `0` while it does, `undefined` without an agent. */
  readonly idleMs: number | undefined;
  /** Turns that were started since the manager knows the project. */
  readonly turns: number;
  /** The code of the last error of a launch or a turn, or `agent-exited` for a crash. */
  readonly lastErrorCode: string | undefined;
}

/** @param idleMs - Since the agent last did anything; `undefined` while it does. */
export function snapshotOf(agent: ProjectAgent, idleMs: number | undefined): ProjectSnapshot {
  const { projectId, live, turns, lastErrorCode } = agent;
  const { connection, session } = live ?? {};
  return {
    projectId,
    state: stateOf(agent),
    pid: connection?.exit === undefined ? connection?.pid : undefined,
    sessionId: session?.sessionId,
    resume: session?.resume.status,
    idleMs: live === undefined ? undefined : (idleMs ?? 0),
    turns,
    lastErrorCode,
  };
}

function stateOf({ isOpening, live }: ProjectAgent): ProjectSnapshot['state'] {
  if (isOpening) return 'starting';
  if (live === undefined) return 'stopped';
  if (!live.isHealthy) return 'stopping';
  return live.isTurnActive ? 'running' : 'idle';
}
