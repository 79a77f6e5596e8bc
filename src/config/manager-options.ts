import { z } from 'zod';
import { validated } from './validate.ts';

/** The limits of a SessionManager: the unit in each name, the reason at each default. */
export interface ManagerLimits {
  /** Agents that may be starting at once. @defaultValue 4: a start takes seconds of a core; two hundred at once would time out together. */
  readonly maxStartingAgents: number;
  /** Agents that may live at once; above it the longest idle one is stopped. @defaultValue Infinity: only the service knows its memory. */
  readonly maxAgents: number;
  /** Stops an agent that had nothing to do for so long, keeping its conversation; `0` = never. @defaultValue 1_800_000: a tree of 200–300 MB for each idle project is too much. */
  readonly idleTimeoutMs: number;
  /**
   * Crashes of one project's agent within `crashWindowMs` after which it is not started again, until the window has
   * moved on, the project is stopped, or its configuration changes. A launch that the agent's death ended is one.
   * @defaultValue 5
   */
  readonly maxCrashes: number;
  /** @defaultValue 600_000 */
  readonly crashWindowMs: number;
  /** Wait before the start after a second crash, doubled for each further one. @defaultValue 500 */
  readonly crashBackoffMs: number;
}

export const defaultManagerLimits: Readonly<ManagerLimits> = Object.freeze({
  maxStartingAgents: 4,
  maxAgents: Infinity,
  idleTimeoutMs: 1_800_000,
  maxCrashes: 5,
  crashWindowMs: 600_000,
  crashBackoffMs: 500,
});

const count = z.custom<number>(
  (value) => (Number.isInteger(value) && (value as number) >= 1) || value === Infinity,
  'expected a whole number, 1 or more, or Infinity',
);
const milliseconds = z.custom<number>(
  (value) => typeof value === 'number' && value >= 0,
  'expected a number of milliseconds, 0 or more',
);
const schema = z.object({
  maxStartingAgents: count,
  maxAgents: count,
  idleTimeoutMs: milliseconds,
  maxCrashes: count,
  crashWindowMs: milliseconds,
  crashBackoffMs: milliseconds,
});

/** The limits among the options, over the defaults. @throws `invalid-config` naming the field. */
export function resolveManagerLimits(options: Partial<ManagerLimits>): ManagerLimits {
  const given = Object.entries<unknown>({ ...options }).filter(
    ([name, value]) => name in defaultManagerLimits && value !== undefined,
  );
  return validated(schema, { ...defaultManagerLimits, ...Object.fromEntries(given) });
}
