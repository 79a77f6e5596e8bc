import type { PromptResponse, SessionUpdate } from '@agentclientprotocol/sdk';
import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';
import { shown } from '../../../src/errors/shown.ts';
import { deferred } from '../../../src/internal/deferred.ts';
import type { TurnOptions } from '../../../src/session/prompt-request.ts';
import { PromptTurn } from '../../../src/session/prompt-turn.ts';
import type { TurnPort } from '../../../src/session/turn-port.ts';

/** A port that notes what the turn asks of it, and an agent that answers when the test says so. */
export class FakeTurnPort implements TurnPort {
  readonly sessionId = 'session-1';
  readonly calls: string[] = [];
  readonly #answer = deferred<PromptResponse | null>();
  #onAnswer: () => void = () => undefined;

  sendPrompt(onAnswer: () => void): Promise<PromptResponse | null> {
    this.calls.push('prompt');
    this.#onAnswer = onAnswer;
    return this.#answer.promise;
  }

  /** The response line is read; the promise settles a moment later, as the SDK's does. */
  readResponse(response: unknown): void {
    this.#onAnswer();
    queueMicrotask(() => this.#answer.resolve(response as PromptResponse));
  }

  readError(error: unknown): void {
    this.#onAnswer();
    queueMicrotask(() => this.#answer.reject(error));
  }

  /** The connection ended before a response was read. */
  breakOff(error: unknown): void {
    this.#answer.reject(error);
  }

  timeoutError(what: string, timeoutMs: number): AcpLauncherError {
    const place = { phase: 'prompt', method: 'session/prompt', sessionId: this.sessionId } as const;
    return new AcpLauncherError('timeout', what, { ...place, timeoutMs });
  }

  shown(value: unknown): string {
    return shown(value);
  }

  sendCancel(): void {
    this.calls.push('cancel');
  }
  giveUp(): void {
    this.calls.push('give up');
  }
  pause(): void {
    this.calls.push('pause');
  }
  resume(): void {
    this.calls.push('resume');
  }
  dequeue(): void {
    this.calls.push('dequeue');
  }
  endIsAwaited(): boolean {
    return false;
  }
  cancelIgnored(): void {
    this.calls.push('cancel ignored');
  }
  started(): void {
    this.calls.push('started');
  }
  settled(): void {
    this.calls.push('settled');
  }
  listenerFailed(error: unknown): void {
    this.calls.push(`listener failed: ${String(error)}`);
  }
}

export function createTurn(options: Partial<TurnOptions> = {}): { port: FakeTurnPort; turn: PromptTurn } {
  const port = new FakeTurnPort();
  const turn = new PromptTurn(port, {
    limits: { softBytes: 100, hardBytes: 400 },
    timeouts: { promptTimeoutMs: 0, promptIdleTimeoutMs: 0, cancelTimeoutMs: 0 },
    drainMs: 0,
    ...options,
  });
  return { port, turn };
}

export const textUpdate = (text: string): SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
});

/** Lets everything that is settled already be seen. */
export async function microtasks(): Promise<void> {
  for (let index = 0; index < 20; index += 1) await Promise.resolve();
}
