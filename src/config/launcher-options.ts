import { z } from 'zod';
import { invalidConfig } from '../errors/invalid-config.ts';
import { validated } from './validate.ts';

/**
 * Every limit and deadline in one place: its unit in its name, its default here, and the reason for it.
 * All are optional wherever they are accepted. `0` switches a timeout off where the comment says so.
 */
export interface LauncherLimits {
  /** From spawn to the `initialize` response. @defaultValue 60_000: the slowest agent measured needs 2 s, a loaded machine ten times that. */
  initializeTimeoutMs: number;
  /** As `initializeTimeoutMs`, for commands that install first (npx, uvx, bunx …). @defaultValue 300_000: a cold download must not be killed half-way, or every attempt starts again from nothing. */
  packageRunnerTimeoutMs: number;
  /** `authenticate`. @defaultValue 60_000 */
  authenticateTimeoutMs: number;
  /** `session/new`, `session/load`, `session/resume`. @defaultValue 100_000 */
  sessionTimeoutMs: number;
  /** The same when MCP servers are passed. @defaultValue 200_000: one dead MCP server holds `session/new` for up to 190 s. */
  sessionWithMcpTimeoutMs: number;
  /** Short requests: list, delete, close, set_mode, set_config_option, logout; and the look at a directory before a start or an opening. @defaultValue 10_000 */
  requestTimeoutMs: number;
  /** Longest time of a turn; `0` = none. @defaultValue 0: healthy turns may take hours. */
  promptTimeoutMs: number;
  /** Longest silence within a turn, paused while a permission or another request of the agent is open; `0` = none. @defaultValue 0 */
  promptIdleTimeoutMs: number;
  /** How long an agent may take to end a cancelled turn. @defaultValue 10_000 */
  cancelTimeoutMs: number;
  /** From the end of stdin to SIGTERM. @defaultValue 1_500: agents that follow stdin EOF at all do so within 1.1 s. */
  closeGraceMs: number;
  /** From SIGTERM to SIGKILL. @defaultValue 1_500: cleared every agent measured but those that ignore SIGTERM. */
  terminateGraceMs: number;
  /** `session/close` before the agent is stopped. @defaultValue 2_000: an agent that does not answer it must not hold the way out. */
  closeSessionTimeoutMs: number;
  /** How long after a turn's end no SIGKILL is sent. @defaultValue 250: agents write their transcript just after they answer; 100 ms was enough in measurements. */
  flushGraceMs: number;
  /** Longest line from the agent. @defaultValue 64 MiB: legal updates of 30 MB exist, an endless line must not fill the memory. */
  maxLineBytes: number;
  /** How much of the agent's stderr is kept. @defaultValue 64 KiB */
  stderrTailBytes: number;
  /** Unread updates of a turn, above which the agent's pipe is paused. @defaultValue 4 MiB: about 6 MB of heap. */
  maxBufferedBytes: number;
  /** Unread updates of a turn, above which the turn fails. @defaultValue 64 MiB */
  maxBufferedHardBytes: number;
  /** Prompts that may wait for one session. @defaultValue 100 */
  maxQueuedPrompts: number;
  /** How long a finished turn waits for updates that come after its response; `0` = not at all. @defaultValue 0 */
  drainMs: number;
}

const MiB = 1024 * 1024;

export const defaultLimits: Readonly<LauncherLimits> = Object.freeze({
  initializeTimeoutMs: 60_000,
  packageRunnerTimeoutMs: 300_000,
  authenticateTimeoutMs: 60_000,
  sessionTimeoutMs: 100_000,
  sessionWithMcpTimeoutMs: 200_000,
  requestTimeoutMs: 10_000,
  promptTimeoutMs: 0,
  promptIdleTimeoutMs: 0,
  cancelTimeoutMs: 10_000,
  closeGraceMs: 1_500,
  terminateGraceMs: 1_500,
  closeSessionTimeoutMs: 2_000,
  flushGraceMs: 250,
  maxLineBytes: 64 * MiB,
  stderrTailBytes: 64 * 1024,
  maxBufferedBytes: 4 * MiB,
  maxBufferedHardBytes: 64 * MiB,
  maxQueuedPrompts: 100,
  drainMs: 0,
});

const milliseconds = z.custom<number>(
  (value) => typeof value === 'number' && value >= 0,
  'expected a number of milliseconds, 0 or more',
);
const wholeNumber = z.int('expected a whole number').min(0, 'must not be negative');
const bytes = z.int('expected a whole number of bytes').min(1, 'must be at least 1');

/** Limits that differ from the defaults. */
export type LimitOverrides = { readonly [Name in keyof LauncherLimits]?: LauncherLimits[Name] | undefined };

const schema: z.ZodType<LimitOverrides> = z.strictObject(
  Object.fromEntries(
    Object.keys(defaultLimits).map((name) => {
      const kind = name.endsWith('Ms') ? milliseconds : name.endsWith('Bytes') ? bytes : wholeNumber;
      return [name, kind.optional()];
    }),
  ),
);

/**
 * The defaults with the given limits put over them, later ones over earlier ones; `undefined` changes nothing.
 * @throws `invalid-config` naming the field: a negative, fractional or unknown one, or a soft limit above its
 * hard one.
 */
export function resolveLimits(
  ...overrides: readonly (LimitOverrides | undefined)[]
): Readonly<LauncherLimits> {
  const limits: LauncherLimits = { ...defaultLimits };
  for (const override of overrides) {
    const given = Object.entries(validated(schema, override ?? {})).filter(
      ([, value]) => value !== undefined,
    );
    Object.assign(limits, Object.fromEntries(given));
  }
  if (limits.maxBufferedBytes > limits.maxBufferedHardBytes) {
    throw invalidConfig('maxBufferedBytes', 'must not be above maxBufferedHardBytes');
  }
  return Object.freeze(limits);
}
