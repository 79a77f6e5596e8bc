import type { AgentConnection } from './agent-connection.ts';
import type { AgentSession } from './agent-session.ts';
import type { AgentStartConfig } from './config/agent-start-config.ts';
import { AcpLauncherError } from './errors/acp-launcher-error.ts';
import { ResumeFailedError } from './errors/resume-failed-error.ts';
import { abortableDelay } from './internal/deadline.ts';
import { attemptFresh } from './session/fresh-attempts.ts';
import { nextStep, type Listing } from './session/next-step.ts';
import type { ResumePolicy } from './session/resume-policy.ts';

/** A wish for a session: a new one, or one that goes on with an earlier conversation if that is possible. */
export interface OpenRequest {
  /** Starts an agent; called again only when the one before is gone. */
  readonly connect: () => Promise<AgentConnection>;
  /** With a `resumeSessionId`, or without. */
  readonly config: AgentStartConfig;
  readonly policy: ResumePolicy;
  readonly signal?: AbortSignal | undefined;
  /** An attempt failed and another follows; the last word is in `session.resume`. */
  readonly onAttemptFailed?:
    ((error: ResumeFailedError, next: 'resume-again' | 'open-fresh') => void) | undefined;
}

/** From the first to the last attempt at a locked session: the process that held it may just be ending. */
const lockedWaitMs = 250;

/**
 * Opens a session, resuming where the configuration says so, and falls back to a fresh one as the policy allows. The
 * agent that survived a failed attempt is used for the next one; only a dead one is started again. When it throws,
 * nothing of it is left running.
 *
 * @throws ResumeFailedError when no fallback is allowed; when the fresh attempt fails, *its* error, with the first
 * one as `resumeError`.
 */
export async function openWithResume(request: OpenRequest): Promise<AgentSession> {
  const agent = new CurrentAgent(request.connect);
  try {
    const requested = request.config.resumeSessionId;
    return requested === undefined
      ? await openFresh(request, agent, 1)
      : await resume(request, agent, requested);
  } catch (error) {
    await agent.close();
    throw error;
  }
}

/** The agent that the attempts use, one at a time. */
class CurrentAgent {
  readonly #connect: () => Promise<AgentConnection>;
  #connection: AgentConnection | undefined;

  constructor(connect: () => Promise<AgentConnection>) {
    this.#connect = connect;
  }

  async get(): Promise<AgentConnection> {
    if (this.#connection?.alive === true) return this.#connection;
    await this.close();
    this.#connection = await this.#connect();
    return this.#connection;
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }
}

async function resume(request: OpenRequest, agent: CurrentAgent, sessionId: string): Promise<AgentSession> {
  const { config, policy, signal } = request;
  const methods = new ResumeMethods(policy);
  let firstError: ResumeFailedError | undefined;
  for (let attempts = 1; ; attempts += 1) {
    // A failure to start the agent is no failure of the resume, but the first one may explain it.
    const connection = await withResumeError(agent.get(), firstError);
    try {
      const session = await methods.open(connection, config, sessionId, signal);
      return accept(session, policy, attempts, firstError);
    } catch (error) {
      if (!(error instanceof ResumeFailedError) || error.kind === 'ignored') throw error;
      firstError ??= error;
      if (error.kind === 'unsupported' && methods.next()) continue;
      const listing = await withResumeError(listingOf(sessionId, error, agent, signal), error);
      const next = nextStep(policy, { kind: error.kind, attempts, listing });
      if (next.step === 'throw') throw finalError(error, next.kind);
      request.onAttemptFailed?.(error, next.step);
      if (next.step === 'resume-again') {
        if (error.kind === 'locked') await abortableDelay(lockedWaitMs * 2 ** (attempts - 1), signal);
        continue;
      }
      const fresh = await withResumeError(openFresh(request, agent, policy.maxRetries), firstError);
      fresh.setResume({
        status: 'fell-back',
        requestedSessionId: sessionId,
        sessionId: fresh.sessionId,
        kind: next.kind,
        evidence: error.evidence,
        error,
        attempts,
      });
      return fresh;
    }
  }
}

/** Where an id was accepted or ignored. An ignored one is an error where no fallback is wanted. */
function accept(
  session: AgentSession,
  policy: ResumePolicy,
  attempts: number,
  firstError: ResumeFailedError | undefined,
): AgentSession {
  const { resume: outcome } = session;
  if (outcome.status === 'ignored' && !policy.enableFallback) {
    throw new ResumeFailedError('ignored', outcome.evidence, outcome.requestedSessionId, {});
  }
  if (outcome.status === 'resumed') {
    session.setResume({ ...outcome, attempts, ...(firstError === undefined ? {} : { error: firstError }) });
  }
  return session;
}

/** The methods by which a session may be resumed with this policy, in the order in which they are tried. */
class ResumeMethods {
  readonly #native: boolean | undefined;
  #tried = 0;
  #candidates: ('session/resume' | 'session/load' | 'session/new')[] | undefined;

  constructor(policy: ResumePolicy) {
    this.#native = policy.strategy === undefined ? undefined : policy.strategy === 'native';
  }

  open(
    connection: AgentConnection,
    config: AgentStartConfig,
    sessionId: string,
    signal: AbortSignal | undefined,
  ): Promise<AgentSession> {
    this.#candidates ??= this.#candidatesFor(connection);
    const method = this.#candidates[this.#tried] ?? 'session/new';
    if (method === 'session/resume') return connection.resumeSession(sessionId, config, { signal });
    if (method === 'session/load') return connection.loadSession(sessionId, config, { signal });
    return connection.openSession(config, { signal });
  }

  /** Whether there is another method to try after one that the agent does not support. */
  next(): boolean {
    this.#tried += 1;
    return this.#tried < (this.#candidates?.length ?? 0);
  }

  #candidatesFor(connection: AgentConnection): ('session/resume' | 'session/load' | 'session/new')[] {
    const native = this.#native ?? connection.preset?.resumeStrategy === 'native';
    const { loadSession, sessionCapabilities } = connection.agentCapabilities;
    if (!native) return ['session/new'];
    return [
      ...(sessionCapabilities?.resume != null ? ['session/resume' as const] : []),
      ...(loadSession === true ? ['session/load' as const] : []),
      'session/new',
    ];
  }
}

async function openFresh(request: OpenRequest, agent: CurrentAgent, attempts: number): Promise<AgentSession> {
  const { config, policy, signal } = request;
  const isFallback = config.resumeSessionId !== undefined;
  const fresh = isFallback ? config.withoutResume() : config;
  const used = isFallback && !policy.preserveMcpServers ? fresh.withoutMcpServers() : fresh;
  const open = async () => (await agent.get()).openSession(used, { signal });
  return attemptFresh(open, { attempts, signal });
}

/** What `session/list` says of the id, asked only where it decides something; an agent that died is started again. */
async function listingOf(
  sessionId: string,
  error: ResumeFailedError,
  agent: CurrentAgent,
  signal: AbortSignal | undefined,
): Promise<Listing> {
  if (error.kind !== 'missing' && error.kind !== 'unproven') return 'unknown';
  const connection = await agent.get();
  if (connection.agentCapabilities.sessionCapabilities?.list == null) return 'unknown';
  try {
    for await (const session of connection.listSessions({ cwd: connection.cwd, signal })) {
      if (session.sessionId === sessionId) return 'listed';
    }
    return 'absent';
  } catch (listError) {
    if (AcpLauncherError.isInstance(listError) && listError.code === 'aborted') throw listError;
    return 'unknown';
  }
}

function finalError(error: ResumeFailedError, kind: ResumeFailedError['kind']): ResumeFailedError {
  if (kind === error.kind) return error;
  return new ResumeFailedError(kind, error.evidence, error.sessionId, { ...error.facts, cause: error.cause });
}

async function withResumeError<Result>(
  work: Promise<Result>,
  resumeError: ResumeFailedError | undefined,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (AcpLauncherError.isInstance(error) && resumeError !== undefined) error.resumeError = resumeError;
    throw error;
  }
}
