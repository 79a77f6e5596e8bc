import {
  RequestError,
  type ClientApp,
  type ClientCapabilities,
  type CompleteElicitationNotification,
  type ToolCall,
} from '@agentclientprotocol/sdk';
import type { AgentClient, ClientContext } from '../client/agent-client.ts';
import { ClientRequestError } from '../client/client-request-error.ts';
import { rejectAll } from '../client/permissions.ts';
import { mergeToolCall } from './merge-tool-call.ts';

/** What the wire is told about the agent's requests to the client. */
export interface ClientRequestListeners {
  /** Whether this session is open here, or may be the one that is being opened. */
  servesSession(sessionId: string): boolean;
  /** The session that a request of ours is about, while it waits for its answer. */
  sessionOfRequest(requestId: unknown): string | undefined;
  /** Whether the turn that runs in this session is being ended, or the session is. */
  isEnding(sessionId: string): boolean;
  /** What the agent has said before of a tool call of the running turn. */
  toolCall(sessionId: string, toolCallId: string): ToolCall | undefined;
  /** The number of requests of this session that wait for the client changed. */
  onOpenRequestsChange(sessionId: string): void;
  /** A permission request was answered. */
  onPermission(params: unknown, response: unknown): void;
  /** A handler of the client threw; the agent only got a general error. */
  onHandlerError(method: string, error: unknown): void;
}

type RequestHandler = (params: never, context: ClientContext) => unknown;
type RequestHandlerName = Exclude<
  keyof AgentClient,
  'sessionUpdate' | 'completeElicitation' | 'extMethod' | 'extNotification' | 'closeSession'
>;

/** ACP method, the handler that serves it, and the answer when its session is cancelled or closed first. */
const requestMethods: readonly (readonly [string, RequestHandlerName, (() => unknown)?])[] = [
  ['session/request_permission', 'requestPermission', () => ({ outcome: { outcome: 'cancelled' } })],
  ['elicitation/create', 'createElicitation', () => ({ action: 'cancel' })],
  ['fs/read_text_file', 'readTextFile'],
  ['fs/write_text_file', 'writeTextFile'],
  ['terminal/create', 'createTerminal'],
  ['terminal/output', 'terminalOutput'],
  ['terminal/wait_for_exit', 'waitForTerminalExit'],
  ['terminal/kill', 'killTerminal'],
  ['terminal/release', 'releaseTerminal'],
];

const terminalHandlers = requestMethods.flatMap(([method, handler]) =>
  method.startsWith('terminal/') ? [handler] : [],
);

/** The capabilities that the handlers of a client imply; nothing more is ever promised to an agent. */
export function clientCapabilities(client: AgentClient): ClientCapabilities {
  return {
    fs: {
      readTextFile: client.readTextFile !== undefined,
      writeTextFile: client.writeTextFile !== undefined,
    },
    terminal: terminalHandlers.every((handler) => client[handler] !== undefined),
    ...(client.createElicitation === undefined
      ? {}
      : { elicitation: { form: {}, ...(client.completeElicitation === undefined ? {} : { url: {} }) } }),
  };
}

/**
 * Serves what the agent asks of the client. Requests run concurrently and never hold up the wire; each is answered
 * exactly once, also when its session is cancelled or closed while the client still thinks.
 */
export class ClientRequests {
  readonly #client: AgentClient;
  readonly #listeners: ClientRequestListeners;
  readonly #open = new Map<string, Set<AbortController>>();

  constructor(client: AgentClient, listeners: ClientRequestListeners) {
    this.#client = client;
    this.#listeners = listeners;
  }

  /** Registers a lenient parser for each method: the SDK's own refuse what a newer agent adds. */
  register(app: ClientApp): void {
    const asSent = (params: unknown) => params;
    for (const [method, name, onCancel] of requestMethods) {
      const handler = this.#handlerFor(name);
      if (handler === undefined) continue;
      app.onRequest(method, asSent, ({ params, signal }) =>
        this.#serve(method, params, signal, this.#forOpenSession(method, handler, onCancel), onCancel),
      );
    }
    app.onRequest('*', ({ method, params, signal }) =>
      this.#serve(method, params, signal, async (_params, context) => {
        const known = requestMethods.some(([name]) => name === method);
        const result = known ? undefined : await this.#client.extMethod?.(method, params, context);
        if (result === undefined) throw RequestError.methodNotFound(method);
        return result;
      }),
    );
  }

  /** A notification other than `session/update`. */
  notify(method: string, params: unknown): void {
    const onError = (error: unknown) => this.#listeners.onHandlerError(method, error);
    void Promise.resolve()
      .then(() =>
        method === 'elicitation/complete'
          ? this.#client.completeElicitation?.(params as CompleteElicitationNotification)
          : this.#client.extNotification?.(method, params),
      )
      .catch(onError);
  }

  openRequests(sessionId: string): number {
    return this.#open.get(sessionId)?.size ?? 0;
  }

  /** Answers every open request of the session: permissions with `cancelled`, the rest with an error. */
  cancel(sessionId: string): void {
    for (const controller of this.#open.get(sessionId) ?? []) controller.abort();
  }

  #handlerFor(name: RequestHandlerName): RequestHandler | undefined {
    const handler = this.#client[name] as RequestHandler | undefined;
    if (handler === undefined) return name === 'requestPermission' ? rejectAll() : undefined;
    // A client may be an instance whose handlers need their `this`.
    return handler.bind(this.#client);
  }

  /** What a request starts or changes must end with its session: one that is not open here is refused. */
  #forOpenSession(method: string, handler: RequestHandler, onNothing?: () => unknown): RequestHandler {
    return async (params: unknown, context) => {
      if (typeof params !== 'object' || params === null || Array.isArray(params))
        throw RequestError.invalidParams(undefined, `${method} needs an object`);
      const { sessionId } = context;
      // A question may belong to a request of ours instead of a session.
      const needsSession = method !== 'elicitation/create' || 'sessionId' in params;
      if (needsSession && (sessionId === undefined || !this.#listeners.servesSession(sessionId)))
        throw RequestError.invalidParams({ sessionId }, 'this session is not open here');
      return (await handler(params as never, context)) ?? onNothing?.() ?? {};
    };
  }

  /** A question that names a request of ours ends with it, as one that names the session does. */
  #sessionOf(params: unknown): string | undefined {
    const { sessionId, requestId } = (params ?? {}) as { sessionId?: unknown; requestId?: unknown };
    return typeof sessionId === 'string' ? sessionId : this.#listeners.sessionOfRequest(requestId);
  }

  #context(
    method: string,
    params: unknown,
    sessionId: string | undefined,
    signal: AbortSignal,
  ): ClientContext {
    if (sessionId === undefined) return { signal };
    const { toolCall } = params as { toolCall?: unknown };
    const toolCallId = (toolCall as { toolCallId?: unknown } | null | undefined)?.toolCallId;
    if (method !== 'session/request_permission' || typeof toolCallId !== 'string')
      return { signal, sessionId };
    const known = this.#listeners.toolCall(sessionId, toolCallId);
    return { signal, sessionId, toolCall: mergeToolCall(known, toolCall as object) };
  }

  async #serve(
    method: string,
    params: unknown,
    requestSignal: AbortSignal,
    handler: RequestHandler,
    onCancel?: () => unknown,
  ): Promise<unknown> {
    const sessionId = this.#sessionOf(params);
    // Requests without a session are counted together.
    const group = sessionId ?? '';
    // What is allowed after a cancel would be done after it.
    if (onCancel !== undefined && this.#listeners.isEnding(group))
      return this.#cancelled(method, params, onCancel);
    const controller = new AbortController();
    const cancelled = new Promise<never>((_resolve, reject) => {
      controller.signal.addEventListener('abort', () => reject(RequestError.requestCancelled()), {
        once: true,
      });
    });
    cancelled.catch(() => undefined);
    const abort = () => controller.abort();
    requestSignal.addEventListener('abort', abort, { once: true });
    this.#opened(group, controller);
    try {
      const context = this.#context(method, params, sessionId, controller.signal);
      const answer = Promise.resolve().then(() => handler(params as never, context));
      const response = await Promise.race([answer, cancelled]);
      if (method === 'session/request_permission') this.#listeners.onPermission(params, response);
      return response;
    } catch (error) {
      if (controller.signal.aborted && onCancel !== undefined)
        return this.#cancelled(method, params, onCancel);
      throw this.#toRequestError(method, error);
    } finally {
      requestSignal.removeEventListener('abort', abort);
      this.#closed(group, controller);
    }
  }

  #cancelled(method: string, params: unknown, onCancel: () => unknown): unknown {
    const response = onCancel();
    if (method === 'session/request_permission') this.#listeners.onPermission(params, response);
    return response;
  }

  /** The text of a stranger's error may hold anything, so only errors meant for the agent keep theirs. */
  #toRequestError(method: string, error: unknown): RequestError {
    if (error instanceof RequestError) return error;
    if (error instanceof ClientRequestError)
      return new RequestError(error.rpcCode, error.message, error.data);
    this.#listeners.onHandlerError(method, error);
    return new RequestError(-32603, `the client failed to handle ${method}`);
  }

  #opened(sessionId: string, controller: AbortController): void {
    const controllers = this.#open.get(sessionId) ?? new Set();
    this.#open.set(sessionId, controllers.add(controller));
    this.#listeners.onOpenRequestsChange(sessionId);
  }

  #closed(sessionId: string, controller: AbortController): void {
    const controllers = this.#open.get(sessionId);
    controllers?.delete(controller);
    if (controllers?.size === 0) this.#open.delete(sessionId);
    this.#listeners.onOpenRequestsChange(sessionId);
  }
}
