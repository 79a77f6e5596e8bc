import type { ManagerLimits } from '../config/manager-options.ts';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { abortableDelay } from '../internal/deadline.ts';
import { allowStart } from '../session/crash-budget.ts';

/** Where no number of crashes is too many; the wait does not grow any more long before. */
const mostKept = 100;

/** The crashes of one project's agent, which slow its next start down, and forbid it when there were too many. */
export class CrashRecord {
  readonly #projectId: string;
  readonly #limits: ManagerLimits;
  #times: number[] = [];
  #configuration = '';

  constructor(projectId: string, limits: ManagerLimits) {
    this.#projectId = projectId;
    this.#limits = limits;
  }

  add(): void {
    this.#times = [...this.#times, Date.now()].slice(-Math.min(this.#limits.maxCrashes, mostKept));
  }

  clear(): void {
    this.#times = [];
  }

  /**
   * Resolves when the agent may be started. Crashes of another configuration don't count: what made the agent crash
   * may have been mended by the change.
   *
   * @throws AcpLauncherError `crash-budget`; the signal's reason.
   */
  async allowStart(configuration: string, signal: AbortSignal): Promise<void> {
    if (configuration !== this.#configuration) this.clear();
    this.#configuration = configuration;
    const { maxCrashes, crashWindowMs: windowMs, crashBackoffMs: backoffMs } = this.#limits;
    const allowance = allowStart(this.#times, Date.now(), { maxCrashes, windowMs, backoffMs });
    if (!allowance.allowed) {
      const message = `the agent of project ${this.#projectId} crashed ${maxCrashes} times within ${windowMs} ms; it may be started again in ${allowance.retryAfterMs} ms, or after stop()`;
      throw new AcpLauncherError('crash-budget', message, { phase: 'spawn' });
    }
    if (allowance.waitMs > 0) await abortableDelay(allowance.waitMs, signal);
  }
}
