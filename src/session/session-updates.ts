import type { SessionNotification, SessionUpdate } from '@agentclientprotocol/sdk';
import type { AgentClient } from '../client/agent-client.ts';
import type { LauncherLimits } from '../config/launcher-options.ts';
import type { AgentWire } from '../wire/agent-wire.ts';
import { bufferLimits } from './prompt-request.ts';
import type { PromptQueue } from './prompt-queue.ts';
import { applyUpdate, stateFromResponse, type SessionState } from './session-state.ts';
import { showsWork } from './update-kinds.ts';
import { createDelivery, type UpdateDelivery, type UpdatePhase } from './update-delivery.ts';

export interface SessionUpdatesParts {
  readonly sessionId: string;
  readonly wire: AgentWire;
  readonly client: AgentClient;
  readonly limits: LauncherLimits;
  /** The turns of the session. */
  readonly queue: PromptQueue;
  /** Whether what comes until the opening request is answered is history. */
  readonly replaying: boolean;
  onUpdate(update: SessionUpdate, phase: UpdatePhase): void;
  /** The client's handler stands still while as many updates wait for it as may. */
  onStalled(): void;
  /** The first update that shows that the agent works on the first turn is here. */
  onFirstTurnUpdate(): void;
  onError(error: unknown): void;
}

/** Takes the updates of one session: keeps what is state, tells where each stands, and hands it on, in order. */
export class SessionUpdates {
  state: SessionState = {};
  readonly #parts: SessionUpdatesParts;
  readonly #delivery: UpdateDelivery | undefined;
  #replaying: boolean;
  #hadTurnUpdate = false;

  constructor(parts: SessionUpdatesParts) {
    const { sessionId, wire, client, limits, queue } = parts;
    this.#parts = parts;
    this.#replaying = parts.replaying;
    this.#delivery = createDelivery(client, {
      sessionId,
      wire,
      limits: bufferLimits(limits),
      onHold: (held) => queue.hold('handler', held),
      onStalled: () => parts.onStalled(),
      onOverflow: (error) => {
        queue.active?.fail(error);
        parts.onError(error);
      },
      onError: (error) => parts.onError(error),
    });
  }

  /** The opening request was answered: history is over, what comes now is live. */
  answered(result: unknown): void {
    this.#replaying = false;
    this.state = { ...this.state, ...stateFromResponse(result) };
  }

  receive(notification: SessionNotification, size: number): void {
    const { update } = notification;
    const { active } = this.#parts.queue;
    const turn = active?.acceptsUpdates === true && !this.#replaying ? active : undefined;
    const phase = this.#replaying ? 'replay' : turn === undefined ? 'outside' : 'turn';
    this.state = applyUpdate(this.state, update);
    this.#parts.onUpdate(update, phase);
    this.#delivery?.push(notification, phase, size);
    if (turn === undefined) return;
    if (!this.#hadTurnUpdate && showsWork(update)) {
      this.#hadTurnUpdate = true;
      this.#parts.onFirstTurnUpdate();
    }
    turn.receive(update, size);
  }

  /** Hands nothing more to the client. */
  close(): void {
    this.#delivery?.close();
  }
}
