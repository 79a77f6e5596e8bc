import type { AgentConnection } from '../agent-connection.ts';
import type { AgentSession } from '../agent-session.ts';
import type { AgentStartConfig } from '../config/agent-start-config.ts';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { ResumeFailedError } from '../errors/resume-failed-error.ts';
import type { OpeningMethod } from '../session/opening-params.ts';
import { resumeMethods } from '../session/resume-methods.ts';
import type { ResumePolicy } from '../session/resume-policy.ts';

/** The attempts to resume one session: which method is tried, and how often it has failed. */
export class ResumeAttempts {
  /** How many requests were sent. */
  total = 0;
  /** What the first of them failed with. */
  first: ResumeFailedError | undefined;
  readonly #sessionId: string;
  readonly #request: Request;
  readonly #methods: readonly OpeningMethod[];
  #current = 0;
  #failures = { locked: 0, other: 0 };

  constructor(sessionId: string, request: Request, { preset, agentCapabilities }: AgentConnection) {
    this.#sessionId = sessionId;
    this.#request = request;
    const strategy = request.policy.strategy ?? preset?.resumeStrategy ?? 'meta';
    this.#methods = resumeMethods(strategy, agentCapabilities);
  }

  /** Whether the agent was asked by a method of its own. */
  get isNative(): boolean {
    return this.#methods.length > 1;
  }

  /**
   * Sends one attempt, and goes on to the next method where the agent does not take this one.
   *
   * @throws What says nothing about the session, with the first failure as `resumeError`.
   */
  async open(connection: AgentConnection): Promise<AgentSession | ResumeFailedError> {
    for (;;) {
      try {
        this.total += 1;
        return await this.#send(connection);
      } catch (error) {
        if (error instanceof ResumeFailedError) {
          this.first ??= error;
          if (error.kind === 'unsupported' && this.next()) continue;
          this.#failures[error.kind === 'locked' ? 'locked' : 'other'] += 1;
          return error;
        }
        if (this.#otherNativeMayTakeIt(error)) continue;
        throw withResumeError(error, this.first);
      }
    }
  }

  /** How often this method has failed: for want of a lock, or otherwise. */
  failures({ kind }: ResumeFailedError): number {
    return kind === 'locked' ? this.#failures.locked : this.#failures.other;
  }

  /** Goes on to the next method; whether there is one. */
  next(): boolean {
    if (this.#current + 1 >= this.#methods.length) return false;
    this.#current += 1;
    this.#failures = { locked: 0, other: 0 };
    return true;
  }

  #send(connection: AgentConnection): Promise<AgentSession> {
    const { config, signal, policy } = this.#request;
    const { keywords, classify } = policy;
    const options = { signal, policy: { keywords, classify } };
    switch (this.#methods[this.#current]) {
      case 'session/resume':
        return connection.resumeSession(this.#sessionId, config, options);
      case 'session/load':
        return connection.loadSession(this.#sessionId, config, options);
      default:
        return connection.openSession(config, options);
    }
  }

  /** An agent may refuse a parameter at one of its native methods and take it at the other. */
  #otherNativeMayTakeIt(error: unknown): boolean {
    const isRefusal = AcpLauncherError.isInstance(error) && error.facts.rpc?.code === -32602;
    return isRefusal && this.#methods[this.#current + 1] === 'session/load' && this.next();
  }
}

interface Request {
  readonly config: AgentStartConfig;
  readonly policy: ResumePolicy;
  readonly signal: AbortSignal;
}

/** The error, with the failure of the resume that came before it. */
export function withResumeError(error: unknown, resumeError: ResumeFailedError | undefined): unknown {
  if (AcpLauncherError.isInstance(error) && resumeError !== undefined && error !== resumeError)
    error.resumeError = resumeError;
  return error;
}
