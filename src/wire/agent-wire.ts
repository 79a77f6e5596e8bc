import {
  client as createClientApp,
  RequestError,
  type AnyResponse,
  type ClientConnection,
  type ClientContext,
  type SessionNotification,
} from '@agentclientprotocol/sdk';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { Redactor } from '../errors/redactor.ts';
import { shown } from '../errors/shown.ts';
import { settledWithin, withDeadline } from '../internal/deadline.ts';
import { deferred } from '../internal/deferred.ts';
import type { AgentProcess } from '../process/agent-process.ts';
import type { ClientRequests } from './client-handlers.ts';
import { NdjsonStream, unsendable, type PendingRequest } from './ndjson-stream.ts';
import type { NoiseReason } from './parse-line.ts';
import {
  abortError,
  closedError,
  exitError,
  lineTooLongError,
  rpcError,
  timeoutError,
  unsendableError,
  type AgentFacts,
  type RequestPlace,
} from './request-errors.ts';

/** How long the end of the pipe and the exit status are waited for, so that the better of the two is told. */
const exitStatusWaitMs = 250;

/** What of the agent's process the wire needs. */
export type WiredProcess = Pick<AgentProcess, 'pid' | 'stdin' | 'stdout' | 'stderr' | 'exit' | 'exited'>;

export interface AgentWireOptions {
  readonly process: WiredProcess;
  readonly command: string;
  readonly redactor: Redactor;
  readonly maxLineBytes: number;
  readonly clientRequests: ClientRequests;
  readonly onUpdate: (notification: SessionNotification, size: number) => void;
  readonly onNotification: (method: string, params: unknown) => void;
  readonly onNoise: (line: string, reason: NoiseReason) => void;
  readonly onLine?: ((direction: 'received' | 'sent', line: string) => void) | undefined;
}

/** One request to the agent. */
export interface WireRequest extends RequestPlace {
  readonly params: object;
  /** Milliseconds; `0` = none. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called when the response line is read, before anything that follows it in the same chunk. */
  readonly onResponse?: ((response: AnyResponse) => void) | undefined;
  /** Ends the wait early: another sign of what the answer will be. */
  readonly watch?: Promise<never> | undefined;
}

/** Something that reads the updates of a session slower than the agent writes them. */
export interface SlowReader {
  readonly sessionId: string;
}

interface Closing {
  readonly reason: 'closed' | 'agent-exited' | 'line-too-long';
}

/**
 * The connection to one agent process: requests raced with its exit, a deadline and a signal; updates and noise
 * taken off; the pipe paused for slow readers, but never while anything else waits for it.
 */
export class AgentWire {
  /** The SDK's own context, for anything that this library has no method for. */
  readonly agent: ClientContext;
  /** Resolves when no request can be answered any more; later requests fail at once. */
  readonly closed: Promise<void>;
  /** The ids of the authentication methods that the agent advertised; set after `initialize`. */
  authMethods: readonly string[] = [];
  readonly #options: AgentWireOptions;
  readonly #connection: ClientConnection;
  readonly #lines: NdjsonStream;
  readonly #slowReaders = new Set<SlowReader>();
  readonly #awaited = new WeakSet();
  readonly #stdoutEnded = deferred<void>();
  #closing: Closing | undefined;

  constructor(options: AgentWireOptions) {
    this.#options = options;
    const { process: agentProcess } = options;
    this.#lines = new NdjsonStream(agentProcess.stdin, agentProcess.stdout, options.maxLineBytes, {
      onUpdate: options.onUpdate,
      onNotification: options.onNotification,
      onNoise: options.onNoise,
      onPendingChange: () => this.#applyPause(),
      onEnd: () => this.#onStdoutEnd(),
      onLineTooLong: () => this.#end({ reason: 'line-too-long' }),
      onLine: options.onLine,
    });
    const app = createClientApp({ name: 'acp-launcher' });
    options.clientRequests.register(app);
    this.#connection = app.connect(this.#lines.stream);
    this.agent = this.#connection.agent;
    this.closed = this.#connection.closed;
    void this.closed.then(() => this.close());
    void agentProcess.exited.then(() => this.#onExit());
  }

  /**
   * Sends a request and waits for its answer.
   *
   * @throws AcpLauncherError `request-failed`, `auth-required`, `timeout`, `aborted`, `agent-exited`,
   * `line-too-long` or `closed`. After a timeout or an abort the late answer is dropped.
   */
  async request<Response>(request: WireRequest): Promise<Response> {
    const { method, params, timeoutMs, signal, onResponse, watch } = request;
    if (signal?.aborted === true) throw this.abortError(request, signal.reason);
    if (this.#closing !== undefined) throw this.#closeError(request);
    if (onResponse !== undefined) this.#lines.onResponseTo(params, onResponse);
    const answer = this.agent.request<Response>(method, params);
    try {
      return await withDeadline(watch === undefined ? answer : Promise.race([answer, watch]), {
        timeoutMs,
        signal,
        onTimeout: () => timeoutError(this.#agentFacts(), request, timeoutMs),
        onAbort: (reason) => this.abortError(request, reason),
      });
    } catch (error) {
      this.#lines.giveUp(params);
      if (error instanceof RequestError) {
        if (error.data === unsendable) throw unsendableError(request, error);
        const { code, message, data } = error;
        throw rpcError(this.#agentFacts(), request, { code, message, data }, this.authMethods);
      }
      // What the SDK rejects with when we close the connection; the reason is ours to tell.
      if (!AcpLauncherError.isInstance(error)) throw this.endError(request) ?? error;
      throw error;
    }
  }

  /** Sends a notification. To an agent that is gone it does nothing: there is nobody left to be told. */
  async notify(method: string, params: object): Promise<void> {
    if (this.#closing !== undefined) return;
    await this.agent.notify(method, params).catch(() => undefined);
  }

  /** The error for something that the agent did not do in time, other than to answer a request. */
  timeoutError(place: RequestPlace, timeoutMs: number, what: string): AcpLauncherError {
    return timeoutError(this.#agentFacts(), place, timeoutMs, what);
  }

  /** The error for what its caller aborted. */
  abortError(place: RequestPlace, reason: unknown): AcpLauncherError {
    return abortError(this.#agentFacts(), place, reason);
  }

  /** What the agent sent, as an error message may show it. */
  shown(value: unknown): string {
    return shown(value, this.#options.redactor);
  }

  /** Gives a request up: its late answer will change nothing. */
  giveUp(params: object): void {
    this.#lines.giveUp(params);
  }

  /** The answer to the request with exactly this `params` object is waited for now: no slow reader holds it back. */
  awaitAnswer(params: object): void {
    this.#awaited.add(params);
    this.#applyPause();
  }

  /** The session that the request of ours with this id is about, while it waits for its answer. */
  sessionOfRequest(id: unknown): string | undefined {
    return sessionOf(this.#lines.pendingRequest(id));
  }

  /** Pauses the agent's pipe for a reader that can't keep up, as long as nothing else waits for the pipe. */
  pauseFor(reader: SlowReader): void {
    this.#slowReaders.add(reader);
    this.#applyPause();
  }

  resumeFor(reader: SlowReader): void {
    if (this.#slowReaders.delete(reader)) this.#applyPause();
  }

  /** Rejects what is pending with `closed` and stops reading. Does not stop the process. Idempotent. */
  close(): void {
    this.#end({ reason: 'closed' });
  }

  /** Whether nothing can be sent any more. */
  get ended(): boolean {
    return this.#closing !== undefined;
  }

  /** The error that a request made now would fail with, once the connection has ended. */
  endError(place: RequestPlace): AcpLauncherError | undefined {
    return this.#closing === undefined ? undefined : this.#closeError(place);
  }

  #applyPause(): void {
    const slowSessions = new Set([...this.#slowReaders].map(({ sessionId }) => sessionId));
    const paused =
      slowSessions.size > 0 &&
      this.#options.process.exit === undefined &&
      this.#lines
        .pendingRequests()
        .every((request) => bringsUpdatesOf(request, slowSessions) && !this.#isAwaited(request));
    if (paused) this.#lines.pause();
    else this.#lines.resume();
  }

  #isAwaited({ params }: PendingRequest): boolean {
    return typeof params === 'object' && params !== null && this.#awaited.has(params);
  }

  #onStdoutEnd(): void {
    this.#stdoutEnded.resolve();
    void settledWithin(Promise.race([this.#options.process.exited, this.closed]), exitStatusWaitMs).then(() =>
      this.#end({ reason: 'agent-exited' }),
    );
  }

  /** What was in the pipe when the agent went is read first: an answer that arrived before the exit wins. */
  async #onExit(): Promise<void> {
    this.#slowReaders.clear();
    this.#applyPause();
    await settledWithin(Promise.race([this.#stdoutEnded.promise, this.closed]), exitStatusWaitMs);
    await new Promise((resolve) => setImmediate(resolve));
    this.#end({ reason: 'agent-exited' });
  }

  #end(closing: Closing): void {
    if (this.#closing !== undefined) return;
    this.#closing = closing;
    this.#slowReaders.clear();
    this.#lines.detach();
    // Also tells every handler of the client that its answer is no longer wanted.
    this.#connection.close();
  }

  #closeError(place: RequestPlace): AcpLauncherError {
    switch (this.#closing?.reason) {
      case 'agent-exited':
        return exitError(this.#agentFacts(), place);
      case 'line-too-long':
        return lineTooLongError(this.#agentFacts(), place, this.#options.maxLineBytes);
      default:
        return closedError(this.#agentFacts(), place);
    }
  }

  #agentFacts(): AgentFacts {
    const { process: agentProcess, command, redactor } = this.#options;
    return { pid: agentProcess.pid, exit: agentProcess.exit, stderr: agentProcess.stderr, command, redactor };
  }
}

/** Whether a request is what fills its own slow reader: its answer comes after the updates, and nobody waits for it alone. */
function bringsUpdatesOf(request: PendingRequest, slowSessions: ReadonlySet<string>): boolean {
  // Some agents repeat the history on a resume as well.
  if (!['session/prompt', 'session/load', 'session/resume'].includes(request.method)) return false;
  const sessionId = sessionOf(request);
  return sessionId !== undefined && slowSessions.has(sessionId);
}

function sessionOf(request: PendingRequest | undefined): string | undefined {
  const sessionId = (request?.params as { sessionId?: unknown } | undefined)?.sessionId;
  return typeof sessionId === 'string' ? sessionId : undefined;
}
