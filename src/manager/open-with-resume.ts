import type { AgentConnection } from '../agent-connection.ts';
import type { AgentSession } from '../agent-session.ts';
import type { AgentStartConfig } from '../config/agent-start-config.ts';
import { ResumeFailedError, type ResumeFailureKind } from '../errors/resume-failed-error.ts';
import { abortableDelay } from '../internal/deadline.ts';
import { attemptFresh } from '../session/fresh-attempts.ts';
import { allowsFallback, nextStep, type Listing } from '../session/next-step.ts';
import type { ResumeOutcome } from '../session/resume-outcome.ts';
import type { ResumePolicy } from '../session/resume-policy.ts';
import { CurrentAgent } from './current-agent.ts';
import { ResumeAttempts, withResumeError } from './resume-attempts.ts';
import { listingOf } from './session-listing.ts';

/** A wish for a session: a new one, or one that goes on with an earlier conversation if that is possible. */
export interface OpenRequest {
  /** Starts an agent; called again only when the one before is gone. */
  readonly connect: () => Promise<AgentConnection>;
  /** With a `resumeSessionId`, or without. */
  readonly config: AgentStartConfig;
  readonly policy: ResumePolicy;
  readonly signal: AbortSignal;
  /** An attempt failed and another follows; the last word is in `session.resume`. */
  readonly onAttemptFailed?:
    ((error: ResumeFailedError, next: 'resume-again' | 'open-fresh') => void) | undefined;
}

/** From the first to the second attempt at a locked session: the process that held it may just be ending. */
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
  const requested = request.config.resumeSessionId;
  return closingOnError(agent, () =>
    requested === undefined ? openFresh(request, agent, 1) : resume(request, agent, requested),
  );
}

/**
 * Opens a fresh session in the place of one that turned out to be missing at its first prompt, on the same agent
 * where that lives. When it throws, the agent is gone.
 */
export async function openInPlaceOf(
  connection: AgentConnection,
  request: OpenRequest,
  lost: ResumeFailedError,
): Promise<AgentSession> {
  const agent = new CurrentAgent(request.connect, connection);
  return closingOnError(agent, () => fallBack(request, agent, lost, { first: lost, total: 1 }));
}

async function closingOnError<Result>(agent: CurrentAgent, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await agent.close();
    throw error;
  }
}

async function resume(request: OpenRequest, agent: CurrentAgent, sessionId: string): Promise<AgentSession> {
  const { policy, signal, onAttemptFailed } = request;
  let attempts: ResumeAttempts | undefined;
  for (;;) {
    const connection = await getAgent(agent, attempts?.first);
    attempts ??= new ResumeAttempts(sessionId, request, connection);
    const opened = await attempts.open(connection);
    if (!(opened instanceof ResumeFailedError)) return accept(opened, policy, attempts);
    const listing =
      opened.kind === 'missing' || opened.kind === 'unproven'
        ? await listingOf(await getAgent(agent, attempts.first), sessionId, signal)
        : 'unknown';
    const failures = attempts.failures(opened);
    const next = nextStep(policy, { kind: opened.kind, attempts: failures, listing });
    if (next.step === 'resume-again') {
      onAttemptFailed?.(opened, 'resume-again');
      if (opened.kind === 'locked') await abortableDelay(lockedWaitMs * 2 ** (failures - 1), signal);
      continue;
    }
    // Another method may still get back what was not shown to be missing.
    if (next.kind === 'unresumable' && attempts.next()) continue;
    const failure = confirmed(opened, next.kind, listing);
    if (next.step === 'throw') throw failure;
    onAttemptFailed?.(opened, 'open-fresh');
    return fallBack(request, agent, failure, attempts);
  }
}

/** A failure to start the agent is no failure of the resume, but the one before may explain it. */
async function getAgent(agent: CurrentAgent, first: ResumeFailedError | undefined): Promise<AgentConnection> {
  try {
    return await agent.get();
  } catch (error) {
    throw withResumeError(error, first);
  }
}

/** Where an id was accepted or ignored. An ignored one is an error where no fallback is wanted. */
function accept(session: AgentSession, policy: ResumePolicy, attempts: ResumeAttempts): AgentSession {
  const { resume: outcome } = session;
  const { first, total, isNative } = attempts;
  if (outcome.status === 'resumed') {
    session.setResume({
      ...outcome,
      attempts: total,
      ...(first === undefined ? {} : { error: first }),
    });
  }
  if (outcome.status !== 'ignored') return session;
  const { evidence, requestedSessionId, sessionId } = outcome;
  if (!policy.enableFallback) throw new ResumeFailedError('ignored', evidence, requestedSessionId, {});
  if (first === undefined) {
    if (isNative) session.setResume({ status: 'ignored', requestedSessionId, sessionId, evidence });
    return session;
  }
  // The failure before it says more than that the last method opened another session.
  const failure = confirmed(first, first.kind === 'unproven' ? 'unresumable' : first.kind, 'unknown');
  if (!allowsFallback(policy, failure.kind)) throw failure;
  session.setResume(fellBack(failure, sessionId, total));
  return session;
}

async function openFresh(request: OpenRequest, agent: CurrentAgent, attempts: number): Promise<AgentSession> {
  const { config, policy, signal } = request;
  const isFallback = config.resumeSessionId !== undefined;
  const fresh = isFallback ? config.withoutResume() : config;
  const used = isFallback && !policy.preserveMcpServers ? fresh.withoutMcpServers() : fresh;
  const open = async () => (await agent.get()).openSession(used, { signal });
  return attemptFresh(open, { attempts, signal });
}

async function fallBack(
  request: OpenRequest,
  agent: CurrentAgent,
  failure: ResumeFailedError,
  { first = failure, total }: Pick<ResumeAttempts, 'first' | 'total'>,
): Promise<AgentSession> {
  try {
    const fresh = await openFresh(request, agent, request.policy.maxRetries);
    fresh.setResume(fellBack(failure, fresh.sessionId, total));
    return fresh;
  } catch (error) {
    throw withResumeError(error, first);
  }
}

function fellBack(error: ResumeFailedError, sessionId: string, attempts: number): ResumeOutcome {
  const { kind, evidence, sessionId: requestedSessionId } = error;
  return { status: 'fell-back', requestedSessionId, sessionId, kind, evidence, error, attempts };
}

/** The failure with the kind that it was found to have, and with what showed that. */
function confirmed(error: ResumeFailedError, kind: ResumeFailureKind, listing: Listing): ResumeFailedError {
  if (kind === error.kind) return error;
  const { evidence, sessionId, facts, cause } = error;
  const decidedByList = kind === 'missing' && listing === 'absent';
  const text = `session/list does not name it, and ${evidence.source} says "${evidence.text}"`;
  const shown = decidedByList ? { ...evidence, source: 'session-list' as const, text } : evidence;
  return new ResumeFailedError(kind, shown, sessionId, { ...facts, cause });
}
