import type { Readable, Writable } from 'node:stream';
import type { AnyMessage, AnyResponse, SessionNotification, Stream } from '@agentclientprotocol/sdk';
import { LineSplitter } from './line-splitter.ts';
import { parseLine, type NoiseReason } from './parse-line.ts';

/** Who is told what of a connection's lines; every call is synchronous, in the order of the lines. */
export interface NdjsonListeners {
  /** A `session/update`, taken off the stream before the SDK would validate it. `size` is the line's length. */
  onUpdate(notification: SessionNotification, size: number): void;
  /** Any other notification. */
  onNotification(method: string, params: unknown): void;
  /** A line that is no message for us. It was not answered. */
  onNoise(line: string, reason: NoiseReason): void;
  /** The number of requests of ours that the agent has not answered changed. */
  onPendingChange(): void;
  /** The agent's stdout ended. */
  onEnd(): void;
  onLineTooLong: (bytes: number) => void;
  /** Every line in both directions, as it is on the wire. */
  onLine?: ((direction: 'received' | 'sent', line: string) => void) | undefined;
}

/** A request of ours that the agent has not answered yet. */
export interface PendingRequest {
  readonly method: string;
  readonly params: unknown;
}

export type ResponseListener = (response: AnyResponse) => void;

/**
 * JSON lines over an agent's stdio. What the SDK must see goes through `stream`; updates, other notifications and
 * noise are taken off before it (it would validate each update at a tenth of the speed, print to the console, or
 * write error lines into the agent).
 */
export class NdjsonStream {
  readonly stream: Stream;
  readonly #stdin: Writable;
  readonly #stdout: Readable;
  readonly #listeners: NdjsonListeners;
  readonly #splitter: LineSplitter;
  readonly #pending = new Map<string | number, PendingRequest>();
  readonly #responseListeners = new WeakMap<object, ResponseListener>();
  readonly #onData = (chunk: Buffer) => this.#splitter.push(chunk);
  readonly #onEnd = () => {
    this.#splitter.end();
    this.#listeners.onEnd();
  };
  #controller!: ReadableStreamDefaultController<AnyMessage>;
  #ended = false;

  constructor(stdin: Writable, stdout: Readable, maxLineBytes: number, listeners: NdjsonListeners) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#listeners = listeners;
    this.#splitter = new LineSplitter(maxLineBytes, (line) => this.#receive(line), listeners.onLineTooLong);
    this.stream = {
      readable: new ReadableStream<AnyMessage>({
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => {
          this.#ended = true;
        },
      }),
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#send(message) }),
    };
    stdout.on('data', this.#onData);
    stdout.once('end', this.#onEnd);
  }

  /**
   * Calls `listener` when the response to the request with exactly this `params` object is read, before anything
   * that follows it in the same chunk is.
   */
  onResponseTo(params: object, listener: ResponseListener): void {
    this.#responseListeners.set(params, listener);
  }

  /** Drops the listener of a request that was given up: a late answer changes nothing. */
  forget(params: object): void {
    this.#responseListeners.delete(params);
    for (const [id, request] of this.#pending) {
      if (request.params === params) this.#pending.set(id, { method: request.method, params: undefined });
    }
    this.#listeners.onPendingChange();
  }

  /** Requests that the agent has not answered and that nobody gave up. */
  pendingRequests(): PendingRequest[] {
    return [...this.#pending.values()].filter((request) => request.params !== undefined);
  }

  pause(): void {
    this.#stdout.pause();
  }

  resume(): void {
    this.#stdout.resume();
  }

  /** Stops reading and writing; the pipes themselves belong to the process. Idempotent. */
  detach(): void {
    this.#ended = true;
    this.#splitter.stop();
    this.#stdout.off('data', this.#onData);
    this.#stdout.off('end', this.#onEnd);
    // Nobody reads on: without this an agent that still writes would block on a full pipe instead of ending.
    this.#stdout.resume();
    this.#pending.clear();
  }

  #receive(line: string): void {
    const parsed = parseLine(line);
    if (parsed.kind !== 'noise' || parsed.reason !== 'blank') this.#listeners.onLine?.('received', line);
    switch (parsed.kind) {
      case 'update':
        return this.#listeners.onUpdate(parsed.notification, line.length);
      case 'notification':
        return this.#listeners.onNotification(parsed.method, parsed.params);
      case 'cancel-request':
      case 'request':
        return this.#enqueue(parsed.message as AnyMessage);
      case 'response':
        return this.#receiveResponse(parsed.message, line);
      case 'noise':
        return this.#listeners.onNoise(line, parsed.reason);
    }
  }

  #receiveResponse(response: AnyResponse, line: string): void {
    const id = this.#matchId(response.id);
    const request = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || request === undefined) return this.#listeners.onNoise(line, 'unknown-response');
    this.#pending.delete(id);
    if (typeof request.params === 'object' && request.params !== null) {
      this.#responseListeners.get(request.params)?.(response);
    }
    this.#listeners.onPendingChange();
    this.#enqueue({ ...response, id });
  }

  /** Some agents answer `"0"` to the request `0`. */
  #matchId(id: AnyResponse['id']): string | number | undefined {
    if (id === null) return undefined;
    if (this.#pending.has(id)) return id;
    const other = typeof id === 'string' ? Number(id) : String(id);
    return this.#pending.has(other) ? other : undefined;
  }

  #enqueue(message: AnyMessage): void {
    if (!this.#ended) this.#controller.enqueue(message);
  }

  /** Resolves when the line is handed to the pipe. Never rejects: the agent's exit is told by its exit, not by EPIPE. */
  async #send(message: AnyMessage): Promise<void> {
    if ('method' in message && 'id' in message && message.id !== null) {
      this.#pending.set(message.id, { method: message.method, params: message.params });
      this.#listeners.onPendingChange();
    }
    const line = JSON.stringify(message);
    this.#listeners.onLine?.('sent', line);
    if (this.#ended || !this.#stdin.writable) return;
    await new Promise<void>((resolve) => {
      this.#stdin.write(`${line}\n`, () => resolve());
    });
  }
}
