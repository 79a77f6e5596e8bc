import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { AgentSession } from '../agent-session.ts';
import { attachmentBlocks } from '../client/attachments.ts';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { ResumeFailedError } from '../errors/resume-failed-error.ts';
import { followSignals } from '../internal/follow-signals.ts';
import { allowsFallback } from '../session/next-step.ts';
import type { PromptTurn } from '../session/prompt-turn.ts';
import { throwIfAborted, untilAborted } from './abort-error.ts';
import type { LiveSession } from './live-session.ts';
import type { ManagedProject } from './managed-project.ts';
import type { PlaceInLine } from './prompt-line.ts';
import type { ChatPrompt, ManagedTurn, PlannedRequest, SessionGrant } from './session-request.ts';

/** A prompt that was asked for. */
export interface PromptRun {
  readonly project: ManagedProject;
  readonly request: ChatPrompt;
  /** Checks what the request needs. */
  readonly plan: (signal: AbortSignal) => Promise<PlannedRequest>;
  /** Finds or opens the session; called again when the one before was lost ere the prompt could be sent. */
  readonly grant: (planned: PlannedRequest, signal: AbortSignal) => Promise<SessionGrant>;
  readonly signal: AbortSignal;
}

/** A prompt that may be sent when it is its turn. */
interface PlannedPrompt extends PromptRun {
  readonly planned: PlannedRequest;
  readonly place: PlaceInLine;
}

/** How often a session may be lost between its grant and the prompt. */
const mostGrants = 5;

/** Sends a prompt when those before it have settled, see {@link SessionManager.prompt}. */
export async function runPrompt(run: PromptRun): Promise<ManagedTurn> {
  const { project } = run;
  // At once: prompts are sent in the order in which they were asked for, however long each takes to plan.
  const place = project.line.join();
  const followed = followSignals(run.signal, place.cancelled);
  const { signal } = followed;
  try {
    const planned = await run.plan(signal);
    place.assertWithin(planned.plan.limits.maxQueuedPrompts);
    return await sendInTurn({ ...run, planned, place, signal });
  } catch (error) {
    place.leave();
    throw error;
  } finally {
    followed.release();
  }
}

async function sendInTurn(run: PlannedPrompt): Promise<ManagedTurn> {
  const { project, planned, place, signal, grant } = run;
  // A request that would end a running turn does not wait for its end.
  await project.assertServed(planned, signal);
  // What may end the running turn must not wait for its end either.
  let granted = planned.wanted.evenDuringTurn === true ? await grant(planned, signal) : undefined;
  await untilAborted(place.reached, signal);
  for (let grants = 1; grants <= mostGrants; grants += 1) {
    granted ??= await grant(planned, signal);
    const content = await untilAborted(promptBlocks(run.request, granted.session), signal);
    const live = project.liveFor(granted.session, planned);
    const sent = live === undefined ? undefined : await send(run, live, content);
    if (sent !== undefined) return { ...granted, ...sent };
    granted = undefined;
  }
  const message = `the session was lost ${mostGrants} times before the prompt could be sent`;
  throw new AcpLauncherError('agent-exited', message, { phase: 'prompt' });
}

/**
 * Sends the prompt at once: the session can't end in between. `undefined` where it was not executed, and another
 * session has taken the place of the one that rejected it.
 */
async function send(
  run: PlannedPrompt,
  live: LiveSession,
  content: string | readonly ContentBlock[],
): Promise<{ session: AgentSession; turn: PromptTurn } | undefined> {
  const { project, planned, place, request, signal } = run;
  const { session, isUnproven } = live;
  throwIfAborted(signal);
  const turn = live.prompt(content, { signal: request.signal, requestId: request.requestId }, planned.client);
  const rejection = isUnproven && turn.state !== 'settled' ? await live.firstTurn : undefined;
  if (rejection === undefined) {
    leaveAfter(place, turn);
    return { session, turn };
  }
  const { evidence, error } = rejection;
  if (!allowsFallback(project.policy, 'missing')) {
    throw new ResumeFailedError('missing', evidence, session.sessionId, { ...error.facts, cause: error });
  }
  const fresh = await project.replaceRejected(live, planned, rejection, signal);
  return fresh === undefined ? undefined : send(run, fresh, content);
}

function leaveAfter(place: PlaceInLine, turn: PromptTurn): void {
  if (turn.state === 'settled') place.leave();
  else turn.on('end', () => place.leave());
}

/** The prompt with its attachments, as this session's agent takes them. */
async function promptBlocks(
  { prompt: text, attachments = [] }: ChatPrompt,
  session: AgentSession,
): Promise<string | readonly ContentBlock[]> {
  if (attachments.length === 0) return text;
  const blocks = await attachmentBlocks(attachments, session.connection.agentCapabilities.promptCapabilities);
  return [...(typeof text === 'string' ? [{ type: 'text' as const, text }] : text), ...blocks];
}
