import type { SessionNotification } from '@agentclientprotocol/sdk';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { AgentWire } from '../wire/agent-wire.ts';
import { BoundedQueue, type QueueLimits, type QueuePressure } from './bounded-queue.ts';

/** Where an update stands: in a turn, outside of any (before, between, late), or in a replay of history. */
export type UpdatePhase = 'turn' | 'outside' | 'replay';

export type UpdateHandler = (
  notification: SessionNotification,
  context: { readonly phase: UpdatePhase },
) => unknown;

/**
 * Hands updates to a handler one after another, in the order of arrival: the next one waits until what the handler
 * returned for the last one has settled. A handler that throws loses nothing but its own error.
 */
export class UpdateDelivery {
  readonly #handler: UpdateHandler;
  readonly #onError: (error: unknown) => void;
  readonly #queue: BoundedQueue<{ readonly notification: SessionNotification; readonly phase: UpdatePhase }>;
  #busy = false;

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
    // A handler that is done by the time it returns, which is the usual one, costs no queue.
    if (!this.#busy) void this.#deliver({ notification, phase });
    else this.#queue.push({ notification, phase }, size);
  }

  /** Delivers nothing more. */
  close(): void {
    this.#queue.clear();
    this.#busy = true;
  }

  clear(): void {
    this.#queue.clear();
  }

  async #deliver(first: {
    readonly notification: SessionNotification;
    readonly phase: UpdatePhase;
  }): Promise<void> {
    this.#busy = true;
    for (let next: typeof first | undefined = first; next !== undefined; next = this.#queue.shift()) {
      try {
        const outcome = this.#handler(next.notification, { phase: next.phase });
        if (outcome instanceof Promise) await outcome;
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#busy = false;
  }
}

/** The delivery to a client's `sessionUpdate`, which holds the agent's pipe back when it can't keep up. */
export function createDelivery(
  client: { sessionUpdate?: UpdateHandler },
  wire: AgentWire,
  limits: QueueLimits,
  listeners: {
    readonly onOverflow: (error: AcpLauncherError) => void;
    readonly onError: (error: unknown) => void;
  },
): UpdateDelivery | undefined {
  if (client.sessionUpdate === undefined) return undefined;
  const reader = { promptParams: {} };
  const delivery = new UpdateDelivery(
    (notification, context) => client.sessionUpdate?.(notification, context),
    limits,
    {
      pause: () => wire.pauseFor(reader),
      resume: () => wire.resumeFor(reader),
      stalled: () => undefined,
      overflow: () => {
        const message = 'updates piled up beyond maxBufferedHardBytes in front of the sessionUpdate handler';
        const error = new AcpLauncherError('turn-overflow', message, { phase: 'prompt' });
        delivery.clear();
        listeners.onOverflow(error);
        listeners.onError(error);
      },
    },
    listeners.onError,
  );
  return delivery;
}
