import { setTimeout as delay } from 'node:timers/promises';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { ResumeFailedError, type ResumeEvidence } from '../errors/resume-failed-error.ts';
import type { StderrTail } from '../process/stderr-tail.ts';
import type { AgentWire } from '../wire/agent-wire.ts';
import type { RequestPlace } from '../wire/request-errors.ts';
import { classifyResumeFailure } from './classify-resume-failure.ts';
import { judgeResumeFailure } from './judge-resume-failure.ts';
import type { ResumeKeyword } from './resume-keywords.ts';
import type { FailedResume, ResumePolicy } from './resume-policy.ts';
import { StderrWatch } from './stderr-watch.ts';
import type { UpdateRouter, UpdateSink } from './update-router.ts';

/**
 * How long an answer is waited for after stderr said that the session is missing. Most agents say it and answer with
 * an error right after, which tells more; some never answer.
 */
const answerAfterStderrMs = 250;

/** How long stderr is waited for after an answer that says nothing. */
const stderrDelayMs = 50;

/** What becomes a session when the agent has answered. */
export interface OpeningSession extends UpdateSink {
  readonly sessionId: string;
  /** What stderr says against the session after it was opened. */
  doubt: ResumeEvidence | undefined;
  /** Called when the doubt is over. */
  onFirstTurnUpdate: () => void;
  /** The response line was read: history is over, and what the response says of the session is true from here on. */
  answered(result: unknown): void;
  readonly closed: Promise<void>;
  /** It was not opened after all. */
  detach(): void;
}

/** A request that opens a session: `session/new`, `session/load` or `session/resume`. */
export interface OpeningRequest<Session extends OpeningSession> {
  readonly wire: AgentWire;
  readonly stderr: StderrTail;
  readonly router: UpdateRouter;
  readonly method: 'session/new' | 'session/load' | 'session/resume';
  readonly params: object;
  /** The id to go on with, if any. */
  readonly requestedSessionId: string | undefined;
  readonly policy: Pick<ResumePolicy, 'keywords' | 'classify'>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly note: string | undefined;
  createSession(sessionId: string): Session;
}

/**
 * Sends the request and registers the session when the response line is read, so that no update is lost or taken for
 * history.
 *
 * @throws ResumeFailedError when an id was asked for and its failure may be the session's.
 * @throws AcpLauncherError otherwise, see {@link AgentWire.request}; `invalid-response` for an answer without an id.
 */
export async function sendOpeningRequest<Session extends OpeningSession>(
  request: OpeningRequest<Session>,
): Promise<Session> {
  const { wire, router, method, params, requestedSessionId, timeoutMs, signal, note } = request;
  const place = { phase: 'session', method, note, sessionId: requestedSessionId } as const;
  const watch =
    requestedSessionId === undefined
      ? undefined
      : new StderrWatch(request.stderr, request.policy.keywords, requestedSessionId);
  const silence = watch === undefined ? undefined : rejectAfterMatch(watch, place);
  const opened: { session?: Session } = {};
  const open = (sessionId: string) => {
    opened.session = request.createSession(sessionId);
    router.register(sessionId, opened.session);
  };
  const stopExpecting = router.expectSession();
  try {
    if (method !== 'session/new' && requestedSessionId !== undefined) open(requestedSessionId);
    const response = await wire.request<unknown>({
      ...place,
      params,
      timeoutMs,
      signal,
      watch: silence?.promise,
      onResponse: (answer) => {
        if (!('result' in answer)) return;
        const sessionId = readSessionId(answer.result);
        if (opened.session === undefined && sessionId !== undefined) open(sessionId);
        opened.session?.answered(answer.result);
      },
    });
    const { session } = opened;
    if (session === undefined) throw invalidResponse(place, wire.shown(response));
    if (watch !== undefined) {
      // A missing-session line beats an OK answer: such agents fail at every prompt that follows.
      if (watch.match !== undefined && session.sessionId === requestedSessionId)
        throw doubted(watch.match, place);
      keepDoubting(watch, session);
    }
    return session;
  } catch (error) {
    opened.session?.detach();
    if (watch === undefined || requestedSessionId === undefined) throw error;
    const attempt = { sessionId: requestedSessionId, method, error, stderrLines: watch.lines };
    // Two pipes: what stderr says of the failure may be read after the answer.
    if (isUnproven(attempt, request.policy.keywords)) await delay(stderrDelayMs);
    watch.stop();
    const verdict = judgeResumeFailure(attempt, request.policy);
    if (verdict.action === 'throw') throw error;
    throw new ResumeFailedError(verdict.kind, verdict.evidence, requestedSessionId, {
      ...(AcpLauncherError.isInstance(error) ? error.facts : {}),
      cause: error,
    });
  } finally {
    silence?.stop();
    stopExpecting();
  }
}

function isUnproven(attempt: FailedResume, keywords: readonly ResumeKeyword[]): boolean {
  const verdict = classifyResumeFailure(attempt, keywords);
  return verdict.action === 'failed' && verdict.kind === 'unproven';
}

function readSessionId(result: unknown): string | undefined {
  const sessionId = (result as { sessionId?: unknown } | null)?.sessionId;
  return typeof sessionId === 'string' && sessionId !== '' ? sessionId : undefined;
}

function rejectAfterMatch(
  watch: StderrWatch,
  place: RequestPlace,
): { promise: Promise<never>; stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    watch.onMatch = (evidence) => {
      timer = setTimeout(() => reject(doubted(evidence, place)), answerAfterStderrMs);
    };
  });
  promise.catch(() => undefined);
  return { promise, stop: () => clearTimeout(timer) };
}

/** Until the first update of the first turn a line on stderr still counts against the session. */
function keepDoubting(watch: StderrWatch, session: OpeningSession): void {
  watch.onMatch = (evidence) => {
    session.doubt = evidence;
  };
  const stop = () => watch.stop();
  session.onFirstTurnUpdate = stop;
  void session.closed.then(stop);
}

function doubted(evidence: ResumeEvidence, place: RequestPlace): AcpLauncherError {
  const { phase, method, sessionId } = place;
  const message = `the agent's stderr says about ${method}: ${evidence.text}`;
  return new AcpLauncherError('request-failed', message, { phase, method, sessionId });
}

function invalidResponse(place: RequestPlace, response: string): AcpLauncherError {
  const { phase, method, sessionId } = place;
  const message = `the agent answered ${method} without a session id: ${response}`;
  return new AcpLauncherError('invalid-response', message, { phase, method, sessionId });
}
