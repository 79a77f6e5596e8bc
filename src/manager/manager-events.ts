import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentSession } from '../agent-session.ts';
import type { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { AgentExit } from '../process/agent-process.ts';
import type { PromptTurn } from '../session/prompt-turn.ts';
import type { ResumeOutcome } from '../session/resume-outcome.ts';
import type { TypedEvents } from '../session/typed-events.ts';
import type { UpdatePhase } from '../session/update-delivery.ts';

/** What served a request. */
export type SessionAction =
  /** The live session, as it was. */
  | 'reused'
  /** The live session, after its model was switched without a restart. */
  | 'model-switched'
  /** A session that was opened by an agent started for it; `session.resume` says whether it continues another. */
  | 'opened'
  /** As `opened`, after the project's former agent was stopped since the request asked for something else. */
  | 'replaced';

/**
 * The payloads of a manager's events; each names its project. Their order:
 *
 * - Opening: `pointer-unreadable`, `resume-retry` for each attempt that is followed by another, `session-open`,
 *   `resume-fallback`, `setting-lost`; then the request is served.
 * - Each turn: `turn-start`, `session-update` for each update, `turn-end`, `resume-suspect`.
 * - A crash: `agent-exit`, the `turn-end` of the turn that it ended, `session-close`.
 * - A stop: the `turn-end` of a turn that it ended, `session-close`, `agent-exit`.
 */
export type ManagerEvents = {
  /** A session was opened, or resumed; before any prompt is sent to it by the manager. */
  'session-open': readonly [
    event: { projectId: string; session: AgentSession; resume: ResumeOutcome; action: SessionAction },
  ];
  /** An attempt to resume failed and another one follows, or a fresh session. */
  'resume-retry': readonly [
    event: { projectId: string; error: AcpLauncherError; next: 'resume-again' | 'open-fresh' },
  ];
  /**
   * The conversation could not be continued, or the agent ignored the wish: after `session-open`, before the first
   * prompt is sent. Where the agent only said so at the first prompt: after the `turn-end` of that one, before the
   * prompt is sent again.
   */
  'resume-fallback': readonly [
    event: {
      projectId: string;
      session: AgentSession;
      resume: Extract<ResumeOutcome, { status: 'fell-back' | 'ignored' }>;
    },
  ];
  /** The first turn after a resume ended with nothing: the agent may not have the conversation. */
  'resume-suspect': readonly [event: { projectId: string; session: AgentSession; turn: PromptTurn }];
  /** An update of the agent, in a turn or outside. Those that come before `session-open` are not told. */
  'session-update': readonly [
    event: { projectId: string; session: AgentSession; update: SessionUpdate; phase: UpdatePhase },
  ];
  /** A prompt was sent. */
  'turn-start': readonly [event: { projectId: string; session: AgentSession; turn: PromptTurn }];
  /** A turn has settled, one way or the other. */
  'turn-end': readonly [event: { projectId: string; session: AgentSession; turn: PromptTurn }];
  /** A session ended; whether its conversation can be resumed is the pointer's matter. */
  'session-close': readonly [event: { projectId: string; session: AgentSession }];
  /** An agent process ended. `expected`: since it was stopped. */
  'agent-exit': readonly [event: { projectId: string; pid: number; exit: AgentExit; expected: boolean }];
  /** A mode or option that was set before could not be set again. */
  'setting-lost': readonly [event: { projectId: string; setting: string; error: unknown }];
  /** The pointer could not be written; it is tried again at the end of the turn, in the next one, and at a stop. The live session goes on. */
  'store-error': readonly [event: { projectId: string; error: unknown }];
  /** A stored record could not be read, so its conversation is not resumed; it is replaced after the first turn. */
  'pointer-unreadable': readonly [event: { projectId: string; problem: string }];
  /** A listener or handler of the caller threw. */
  'listener-error': readonly [event: { error: unknown }];
};

export type ManagerEventSource = TypedEvents<ManagerEvents>;

/** The shape of pino's logger; anything that has these four will do. */
export interface Logger {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
