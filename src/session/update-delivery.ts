import type { SessionNotification } from '@agentclientprotocol/sdk';
import type { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { AgentWire } from '../wire/agent-wire.ts';
import { BoundedQueue, type QueueLimits, type QueuePressure } from './bounded-queue.ts';
import { overflowError } from './turn-errors.ts';

/** Where an update stands: in a turn, outside of any (before, between, late), or in a replay of history. */
export type UpdatePhase = 'turn' | 'outside' | 'replay';

export type UpdateHandler = (
  notification: SessionNotification,
  context: { readonly phase: UpdatePhase },
) => unknown;

/** One object for each phase, and not for each update. */
export const updateContexts: Readonly<Record<UpdatePhase, { readonly phase: UpdatePhase }>> = {
  turn: Object.freeze({ phase: 'turn' }),
  outside: Object.freeze({ phase: 'outside' }),
  replay: Object.freeze({ phase: 'replay' }),
};

interface PhasedUpdate {
  readonly notification: SessionNotification;
  readonly phase: UpdatePhase;
}

/**
 * Hands updates to a handler one after another, in the order of arrival: the next one waits until what the handler
 * returned for the last one has settled. A handler that throws loses nothing but its own error.
 */
export class UpdateDelivery {
  readonly #handler: UpdateHandler;
  readonly #onError: (error: unknown) => void;
  readonly #queue: BoundedQueue<PhasedUpdate>;
  #busy = false;
  #closed = false;

  constructor(
    handler: UpdateHandler,
    limits: QueueLimits,
    pressure: QueuePressure,
    onError: (error: unknown) => void,
  ) {
    this.#handler = handler;
    this.#onError = onError;
    this.#queue = new BoundedQueue(limits, pressure);
  }

  push(notification: SessionNotification, phase: UpdatePhase, size: number): void {
    if (this.#closed) return;
    if (this.#busy) return this.#queue.push({ notification, phase }, size);
    // A handler that is done by the time it returns, which is the usual one, costs no queue.
    const outcome = this.#call(notification, phase);
    if (outcome !== undefined) void this.#deliverAfter(outcome);
  }

  /** Drops what waits. */
  clear(): void {
    this.#queue.clear();
  }

  /** Delivers nothing more. */
  close(): void {
    this.#closed = true;
    this.#queue.clear();
  }

  #call(notification: SessionNotification, phase: UpdatePhase): Promise<unknown> | undefined {
    try {
      const outcome = this.#handler(notification, updateContexts[phase]);
      return isThenable(outcome) ? Promise.resolve(outcome) : undefined;
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  async #deliverAfter(first: Promise<unknown>): Promise<void> {
    this.#busy = true;
    await first.catch(this.#onError);
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      await this.#call(next.notification, next.phase)?.catch(this.#onError);
    }
    this.#busy = false;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

export interface DeliveryOwner {
  readonly sessionId: string;
  readonly wire: AgentWire;
  readonly limits: QueueLimits;
  /** The agent's pipe is held back for the handler, or no longer. */
  onHold(held: boolean): void;
  /** The handler stands still while as many updates wait for it as may; told once, until the agent's pipe runs on. */
  onStalled(): void;
  /** Updates were dropped, since more came than may wait. */
  onOverflow(error: AcpLauncherError): void;
  onError(error: unknown): void;
}

/** The delivery to a client's `sessionUpdate`, which holds the agent's pipe back when it can't keep up. */
export function createDelivery(
  client: { sessionUpdate?: UpdateHandler },
  owner: DeliveryOwner,
): UpdateDelivery | undefined {
  if (client.sessionUpdate === undefined) return undefined;
  const { sessionId, wire, limits } = owner;
  const reader = { sessionId };
  let isStalled = false;
  const delivery = new UpdateDelivery(
    (notification, context) => client.sessionUpdate?.(notification, context),
    limits,
    {
      pause: () => {
        owner.onHold(true);
        wire.pauseFor(reader);
      },
      resume: () => {
        isStalled = false;
        owner.onHold(false);
        wire.resumeFor(reader);
      },
      stalled: () => {
        if (isStalled) return;
        isStalled = true;
        owner.onStalled();
      },
      overflow: () => {
        delivery.clear();
        owner.onOverflow(overflowError(sessionId, 'in front of the sessionUpdate handler'));
      },
    },
    (error) => owner.onError(error),
  );
  return delivery;
}
