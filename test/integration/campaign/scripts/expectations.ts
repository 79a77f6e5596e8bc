import type { FaultyAgentOptions } from '../../../../fixtures/faults/fault.ts';
import type { FaultName } from '../../../../fixtures/faults/registry.ts';
import type { LauncherLimits } from '../../../../src/config/launcher-options.ts';
import type { ErrorCode } from '../../../../src/errors/error-codes.ts';

/** What a fault does to a launch and to a turn. A fault that is not listed does nothing: both work. */
export interface Expectation {
  readonly options?: FaultyAgentOptions;
  readonly limits?: Partial<LauncherLimits>;
  /** The code with which the launch fails. */
  readonly launch?: ErrorCode;
  /** The code with which a turn fails. */
  readonly turn?: ErrorCode;
}

/** The agent never ends a turn by itself: the limit of the turn does. */
const neverEnds: Expectation = { turn: 'timeout', limits: { promptTimeoutMs: 500, cancelTimeoutMs: 300 } };
const silentAtStart: Expectation = { launch: 'timeout', limits: { initializeTimeoutMs: 500 } };
const dies: Expectation = { turn: 'agent-exited' };

export const expectations: { readonly [Name in FaultName]?: Expectation } = {
  // Launches that fail.
  'exit-at-once': { launch: 'agent-exited' },
  'dies-in-initialize': { launch: 'agent-exited' },
  'dies-in-session-new': { launch: 'agent-exited' },
  'leaks-secrets': { launch: 'agent-exited' },
  'garbage-stdout': silentAtStart,
  'never-answers-initialize': silentAtStart,
  'not-acp': silentAtStart,
  'hangs-at': { launch: 'timeout', limits: { sessionTimeoutMs: 500 } },
  'missing-protocol-version': { launch: 'protocol-version' },
  'wrong-protocol-version': { launch: 'protocol-version' },
  'auth-required': { launch: 'auth-required' },
  'auth-never-suffices': { launch: 'auth-required' },
  'error-on-stderr-only': { launch: 'request-failed' },
  'fails-at': { launch: 'request-failed' },
  'session-new-null-result': { launch: 'invalid-response' },
  // Launches that take their time.
  'slow-start': { options: { delayMs: 100 } },
  'delays-at': { options: { delayMs: 100 } },
  // Turns that fail.
  'dies-at': dies,
  'dies-mid-line': dies,
  'dies-mid-turn': dies,
  'exits-0-without-response': dies,
  'stdout-eof-stays-alive': dies,
  'endless-line': { turn: 'line-too-long', limits: { maxLineBytes: 1_000_000 } },
  // Turns that never end.
  'cancel-answers-error': neverEnds,
  'chatters-elsewhere': neverEnds,
  'closes-stdin': neverEnds,
  'ignores-cancel': neverEnds,
  'slow-cancel': { ...neverEnds, options: { delayMs: 20 } },
  'stops-reading': { ...neverEnds, options: { bytes: 100_000, delayMs: 60_000 } },
  // Turns that take their time.
  'long-turn': { options: { count: 5, delayMs: 10 } },
  'silent-tool-call': { options: { delayMs: 50 } },
  'huge-line': { options: { bytes: 500_000 } },
  'stderr-flood': { options: { bytes: 200_000 } },
};
