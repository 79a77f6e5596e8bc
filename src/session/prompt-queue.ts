import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { PromptTurn } from './prompt-turn.ts';

/** Runs the turns of one session one after another, in the order in which they came. */
export class PromptQueue {
  readonly #limit: number;
  readonly #waiting: PromptTurn[] = [];
  #active: { readonly turn: PromptTurn; readonly done: Promise<void> } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The turn that was sent and has not settled. */
  get active(): PromptTurn | undefined {
    return this.#active?.turn;
  }

  /** @throws AcpLauncherError `queue-full` */
  add(turn: PromptTurn): void {
    if (this.#active === undefined) return this.#start(turn);
    if (this.#waiting.length >= this.#limit) {
      const message = `${this.#waiting.length} prompts wait for this session already (maxQueuedPrompts)`;
      throw new AcpLauncherError('queue-full', message, { phase: 'prompt', sessionId: turn.sessionId });
    }
    this.#waiting.push(turn);
  }

  remove(turn: PromptTurn): void {
    const index = this.#waiting.indexOf(turn);
    if (index !== -1) this.#waiting.splice(index, 1);
  }

  /** Settles every turn with `error` at once; resolves when the agent has answered the running one. */
  async closeAll(error: AcpLauncherError): Promise<void> {
    for (const turn of this.#waiting.splice(0)) turn.abandon(error);
    const active = this.#active;
    active?.turn.abandon(error);
    await active?.done;
  }

  #start(turn: PromptTurn): void {
    const entry = { turn, done: Promise.resolve() };
    this.#active = entry;
    entry.done = turn.run().then(() => {
      this.#active = undefined;
      const next = this.#waiting.shift();
      if (next !== undefined) this.#start(next);
    });
  }
}
