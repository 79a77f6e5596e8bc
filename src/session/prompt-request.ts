import type { ContentBlock } from '@agentclientprotocol/sdk';
import { checkSignal } from '../internal/check-input.ts';
import { resolveLimits, type LauncherLimits } from '../config/launcher-options.ts';
import { invalidConfig } from '../errors/invalid-config.ts';
import type { QueueLimits } from './bounded-queue.ts';
import type { TurnOptions } from './prompt-turn.ts';

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
    if (typeof options !== 'object' || options === null) throw invalidConfig('options', 'must be an object');
    checkSignal((options as PromptOptions).signal, 'options.signal');
    return { given: options };
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
