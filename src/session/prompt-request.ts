import type { ContentBlock } from '@agentclientprotocol/sdk';
import { checkOptions, type OptionKind } from '../internal/check-input.ts';
import { resolveLimits, type LauncherLimits } from '../config/launcher-options.ts';
import type { QueueLimits } from './bounded-queue.ts';
import type { TurnTimeouts } from './turn-timers.ts';

/** What a prompt may carry besides its content. */
export interface PromptOptions {
  /** Aborting it cancels the turn; the result is then a cancelled turn, not an error. */
  readonly signal?: AbortSignal | undefined;
  /** Travels as `_meta.request_id`. */
  readonly requestId?: string | undefined;
  /** Merged into the prompt's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Overrides for this one turn, in milliseconds. */
  readonly promptTimeoutMs?: number | undefined;
  readonly promptIdleTimeoutMs?: number | undefined;
}

/** What a turn needs besides its port. */
export interface TurnOptions {
  readonly limits: QueueLimits;
  readonly timeouts: TurnTimeouts;
  /** How long updates that follow the response still belong to the turn, in milliseconds. */
  readonly drainMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The parameters of a `session/prompt`; its content is filled in when it has been checked. */
export interface PromptParams {
  readonly sessionId: string;
  prompt: ContentBlock[];
  readonly _meta?: Record<string, unknown>;
}

export function promptParams(sessionId: string, { requestId, meta }: PromptOptions): PromptParams {
  const merged = { ...meta, ...(requestId === undefined ? {} : { request_id: requestId }) };
  return { sessionId, prompt: [], ...(Object.keys(merged).length === 0 ? {} : { _meta: merged }) };
}

const optionKinds = {
  signal: 'signal',
  requestId: 'text',
  meta: 'object',
  promptTimeoutMs: 'number',
  promptIdleTimeoutMs: 'number',
} as const satisfies Record<keyof PromptOptions, OptionKind>;

/**
 * The options as far as they can be used: a prompt never throws, so what is wrong with them is for its turn to tell.
 *
 * @returns `problem`: what the turn rejects with.
 */
export function readPromptOptions(options: unknown): {
  readonly given: PromptOptions;
  readonly problem?: Error;
} {
  try {
    checkOptions(options, optionKinds, 'options.');
    const given = options as PromptOptions;
    // Read once, here: what a getter throws is no exception of `prompt`.
    return { given: { ...given, meta: { ...given.meta } } };
  } catch (error) {
    return { given: {}, problem: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** The limits of one turn. @throws AcpLauncherError `invalid-config` for a timeout that is none */
export function promptLimits(limits: LauncherLimits, options: PromptOptions): LauncherLimits {
  const { promptTimeoutMs, promptIdleTimeoutMs } = options;
  if (promptTimeoutMs === undefined && promptIdleTimeoutMs === undefined) return limits;
  return resolveLimits(limits, { promptTimeoutMs, promptIdleTimeoutMs });
}

export function bufferLimits({ maxBufferedBytes, maxBufferedHardBytes }: LauncherLimits): QueueLimits {
  return { softBytes: maxBufferedBytes, hardBytes: maxBufferedHardBytes };
}

export function turnOptions(limits: LauncherLimits, signal: AbortSignal | undefined): TurnOptions {
  return { limits: bufferLimits(limits), timeouts: limits, drainMs: limits.drainMs, signal };
}
