import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { throwIfAborted, untilAborted } from './abort-error.ts';

/** A project that has an agent, or starts one. */
export interface SeatHolder {
  readonly projectId: string;
  /** Milliseconds since its agent last did anything; `undefined` while it can't be stopped. */
  idleMs(): number | undefined;
  /** Stops its agent, if it is still idle by then, which gives the seat back. Never rejects. */
  stopIfIdle(): Promise<void>;
}

/** A bounded number of agents that live at once, those that are starting included. */
export class AgentSeats {
  readonly #limit: number;
  readonly #holders = new Map<string, SeatHolder>();
  /** Those that are being stopped to make room. */
  readonly #leaving = new Map<SeatHolder, Promise<void>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Takes a seat, which a project keeps until it leaves. Where all are taken, the project that has been idle for the
   * longest time is stopped.
   *
   * @throws AcpLauncherError `too-many-agents` when none is idle.
   */
  async take(holder: SeatHolder, signal: AbortSignal): Promise<void> {
    while (!this.#holders.has(holder.projectId) && this.#holders.size >= this.#limit) {
      const leaving = this.#makeRoom();
      if (leaving.length === 0) {
        const message = `${this.#holders.size} agents live already (maxAgents) and none of them is idle`;
        throw new AcpLauncherError('too-many-agents', message, { phase: 'spawn' });
      }
      await untilAborted(Promise.race(leaving), signal);
    }
    throwIfAborted(signal);
    this.#holders.set(holder.projectId, holder);
  }

  leave(holder: SeatHolder): void {
    if (this.#holders.get(holder.projectId) === holder) this.#holders.delete(holder.projectId);
  }

  /** What leaves: one more, if there is one. */
  #makeRoom(): readonly Promise<void>[] {
    const idle = [...this.#holders.values()]
      .filter((holder) => !this.#leaving.has(holder))
      .flatMap((holder) => {
        const idleMs = holder.idleMs();
        return idleMs === undefined ? [] : [{ holder, idleMs }];
      })
      .sort((a, b) => b.idleMs - a.idleMs)[0]?.holder;
    if (idle !== undefined) {
      const left = idle.stopIfIdle().finally(() => this.#leaving.delete(idle));
      this.#leaving.set(idle, left);
      return [left];
    }
    return [...this.#leaving.values()];
  }
}
