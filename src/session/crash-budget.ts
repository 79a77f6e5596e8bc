/** How many crashes of a project's agent are taken, and how its next start is slowed down. */
export interface CrashBudgetLimits {
  readonly maxCrashes: number;
  readonly windowMs: number;
  /** Before the start after the second crash; doubled for each further one. */
  readonly backoffMs: number;
}

export type StartAllowance =
  | { readonly allowed: true; readonly waitMs: number }
  /** `retryAfterMs`: when the oldest crash leaves the window. */
  | { readonly allowed: false; readonly retryAfterMs: number };

const longestBackoffMs = 30_000;

/** Whether an agent that crashed at these times may be started now, and after which wait. Pure. */
export function allowStart(
  crashTimes: readonly number[],
  now: number,
  limits: CrashBudgetLimits,
): StartAllowance {
  const recent = crashTimes.filter((time) => now - time < limits.windowMs);
  const oldest = recent[0];
  if (oldest !== undefined && recent.length >= limits.maxCrashes) {
    return { allowed: false, retryAfterMs: oldest + limits.windowMs - now };
  }
  if (recent.length < 2) return { allowed: true, waitMs: 0 };
  const waitMs = Math.min(limits.backoffMs * 2 ** (recent.length - 2), longestBackoffMs);
  return { allowed: true, waitMs: Math.max(0, (recent.at(-1) ?? now) + waitMs - now) };
}
