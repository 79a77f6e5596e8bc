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
  /** The requests of ours that wait for an answer changed. */
  onPendingChange(): void;
  /** The agent's stdout ended. */
  onEnd(): void;
  onLineTooLong(): void;
  /** Every line in both directions, as it is on the wire. What it throws is ignored. */
  onLine?: ((direction: 'received' | 'sent', line: string) => void) | undefined;
}

/** A request of ours that waits for the agent's answer. */
export interface PendingRequest {
  readonly method: string;
  readonly params: unknown;
}

export type ResponseListener = (response: AnyResponse) => void;

/** What a request that was given up is settled with, so that the SDK keeps nothing of it. */
const givenUp = { code: -32800, message: 'given up by the client' };

/** The `data` of the error that a request is settled with when JSON can't hold it. */
export const unsendable = Object.freeze({ sent: false });

/** What the agent hears of an answer that JSON can't hold. */
const internalError = { code: -32603, message: 'the answer of the client could not be sent' };

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
  readonly #givenUp = new WeakSet();
  readonly #onData = (chunk: Buffer) => this.#splitter.push(chunk);
  readonly #onEnd = () => this.#end();
  #controller!: ReadableStreamDefaultController<AnyMessage>;
  #detached = false;

  constructor(stdin: Writable, stdout: Readable, maxLineBytes: number, listeners: NdjsonListeners) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#listeners = listeners;
    this.#splitter = new LineSplitter(
      maxLineBytes,
      (line) => this.#receive(line),
      () => listeners.onLineTooLong(),
    );
    this.stream = {
      readable: new ReadableStream<AnyMessage>({
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.detach(),
      }),
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#send(message) }),
    };
    stdout.on('data', this.#onData);
    stdout.once('end', this.#onEnd);
    // Without an `end`: somebody destroyed the stream.
    stdout.once('close', this.#onEnd);
  }

  /**
   * Calls `listener` when the response to the request with exactly this `params` object is read, before anything
   * that follows it in the same chunk is.
   */
  onResponseTo(params: object, listener: ResponseListener): void {
    this.#responseListeners.set(params, listener);
  }

  /**
   * Nobody waits any longer for the answer to the request with exactly this `params` object: a late one is noise. One
   * that is not written yet never will be.
   */
  giveUp(params: object): void {
    this.#givenUp.add(params);
    this.#responseListeners.delete(params);
    for (const [id, request] of this.#pending) {
      if (request.params === params) this.#settle(id, givenUp);
    }
  }

  /** One that waits for its answer, by the id that it was sent with. */
  pendingRequest(id: unknown): PendingRequest | undefined {
    return this.#pending.get(id as string | number);
  }

  /** Requests that the agent has not answered and that nobody gave up. */
  pendingRequests(): PendingRequest[] {
    return [...this.#pending.values()];
  }

  pause(): void {
    this.#stdout.pause();
  }

  resume(): void {
    this.#stdout.resume();
  }

  /** Stops reading and writing; the pipes themselves belong to the process. Idempotent. */
  detach(): void {
    this.#detached = true;
    this.#splitter.stop();
    this.#stdout.off('data', this.#onData);
    this.#stdout.off('end', this.#onEnd);
    this.#stdout.off('close', this.#onEnd);
    // Nobody reads on: without this an agent that still writes would block on a full pipe instead of ending.
    this.#stdout.resume();
    this.#pending.clear();
  }

  #end(): void {
    this.#stdout.off('end', this.#onEnd);
    this.#stdout.off('close', this.#onEnd);
    this.#splitter.end();
    this.#listeners.onEnd();
  }

  #receive(line: string): void {
    const parsed = parseLine(line);
    if (parsed.kind !== 'noise' || parsed.reason !== 'blank') this.#log('received', line);
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
    if (id === null || this.#pending.has(id)) return id ?? undefined;
    const other = typeof id === 'string' ? Number(id) : String(id);
    return String(other) === String(id) && this.#pending.has(other) ? other : undefined;
  }

  /** Answers a request of ours in the agent's place. */
  #settle(
    id: string | number,
    error: { readonly code: number; readonly message: string; readonly data?: unknown },
  ): void {
    this.#pending.delete(id);
    this.#enqueue({ jsonrpc: '2.0', id, error });
    this.#listeners.onPendingChange();
  }

  #enqueue(message: AnyMessage): void {
    if (!this.#detached) this.#controller.enqueue(message);
  }

  /**
   * Hands the line to the pipe, which keeps the order and what it can't take yet. Waiting for it here would hide the
   * requests behind a slow one from {@link pendingRequests}. Never throws: the SDK would close the connection, and the
   * agent's exit is told by its exit, not by EPIPE.
   */
  #send(message: AnyMessage): void {
    if (this.#detached) return;
    if ('method' in message && 'id' in message && message.id !== null) {
      const { id, method, params } = message;
      if (typeof params === 'object' && params !== null && this.#givenUp.has(params)) {
        return this.#settle(id, givenUp);
      }
      this.#pending.set(id, { method, params });
      this.#listeners.onPendingChange();
    }
    const line = this.#serialize(message);
    if (line === undefined) return;
    this.#log('sent', line);
    if (this.#stdin.writable) this.#stdin.write(`${line}\n`);
  }

  /** A value that JSON can't hold, in a caller's `_meta` or a handler's answer, fails the one message that holds it. */
  #serialize(message: AnyMessage): string | undefined {
    try {
      return JSON.stringify(message);
    } catch (error) {
      if (!('id' in message) || message.id === null) return undefined;
      if (!('method' in message))
        return JSON.stringify({ jsonrpc: '2.0', id: message.id, error: internalError });
      this.#settle(message.id, { code: -32603, message: String(error), data: unsendable });
      return undefined;
    }
  }

  #log(direction: 'received' | 'sent', line: string): void {
    try {
      this.#listeners.onLine?.(direction, line);
    } catch {
      // A log must not stop the wire.
    }
  }
}
