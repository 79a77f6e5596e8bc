import type { ResumeOutcome } from '../session/resume-outcome.ts';

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
