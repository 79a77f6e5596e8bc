import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { PromptTurn } from './prompt-turn.ts';
import type { HoldReason } from './turn-timers.ts';

/** Runs the turns of one session one after another, in the order in which they came. */
export class PromptQueue {
  readonly #limit: number;
  readonly #waiting: PromptTurn[] = [];
  readonly #held = new Set<HoldReason>();
  #active: { readonly turn: PromptTurn; answered: Promise<void> } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The turn that was sent and that the agent has not answered yet. */
  get active(): PromptTurn | undefined {
    return this.#active?.turn;
  }

  /** Whether a turn waits for the one that runs. */
  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Runs the turn when those before it are over; fails it with `queue-full` where too many are. */
  add(turn: PromptTurn): void {
    if (this.#active === undefined) return this.#start(turn);
    if (this.#waiting.length < this.#limit) {
      this.#waiting.push(turn);
      return;
    }
    const message = `${this.#waiting.length} prompts wait for this session already (maxQueuedPrompts)`;
    const { sessionId } = turn;
    turn.fail(new AcpLauncherError('queue-full', message, { phase: 'prompt', sessionId }));
  }

  remove(turn: PromptTurn): void {
    const index = this.#waiting.indexOf(turn);
    if (index !== -1) this.#waiting.splice(index, 1);
  }

  /** As {@link PromptTurn.hold}, for the turn that runs and those that will while it holds. */
  hold(reason: HoldReason, held: boolean): void {
    if (held) this.#held.add(reason);
    else this.#held.delete(reason);
    this.#active?.turn.hold(reason, held);
  }

  /** Settles every turn with `error` at once; resolves when the agent has answered the running one. */
  async closeAll(error: AcpLauncherError): Promise<void> {
    for (const turn of this.#waiting.splice(0)) turn.abandon(error);
    const active = this.#active;
    active?.turn.abandon(error);
    await active?.answered;
  }

  #start(turn: PromptTurn): void {
    const active = { turn, answered: Promise.resolve() };
    // Before it runs: its listeners may look at the active turn.
    this.#active = active;
    for (const reason of this.#held) turn.hold(reason, true);
    active.answered = turn.run().then(() => {
      this.#active = undefined;
      const next = this.#waiting.shift();
      if (next !== undefined) this.#start(next);
    });
  }
}
