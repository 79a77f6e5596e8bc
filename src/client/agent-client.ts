import type {
  CompleteElicitationNotification,
  CreateElicitationRequest,
  CreateElicitationResponse,
  CreateTerminalRequest,
  CreateTerminalResponse,
  KillTerminalRequest,
  KillTerminalResponse,
  ReadTextFileRequest,
  ReadTextFileResponse,
  ReleaseTerminalRequest,
  ReleaseTerminalResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
  TerminalOutputRequest,
  TerminalOutputResponse,
  ToolCall,
  WaitForTerminalExitRequest,
  WaitForTerminalExitResponse,
  WriteTextFileRequest,
  WriteTextFileResponse,
} from '@agentclientprotocol/sdk';

/** What a request handler knows besides the parameters. */
export interface ClientContext {
  /**
   * Aborted when the answer is no longer wanted: the agent took the request back, the turn was cancelled, or the
   * session or the agent ended. The library has answered by then; what the handler still returns is dropped.
   */
  readonly signal: AbortSignal;
  /** The session that the request belongs to, where it names one. */
  readonly sessionId?: string;
  /**
   * With a permission request: the tool call as the agent has described it so far. Agents that announced the call
   * already often name nothing but its id in `params.toolCall`.
   */
  readonly toolCall?: ToolCall;
}

/** What a listener for session updates knows besides the update. */
export interface SessionUpdateContext {
  /**
   * `turn`: part of the running turn. `outside`: between turns, or late. `replay`: history that the agent repeats
   * while a session is loaded; it is not new output.
   */
  readonly phase: 'turn' | 'outside' | 'replay';
}

/** Serves one kind of request of the agent. */
export type ClientRequestHandler<Request, Response> = (
  params: Request,
  context: ClientContext,
) => Promise<Response> | Response;

/**
 * The client's side of a session: plain functions without a `this`, named after the ACP methods that they serve. All
 * are optional, and the capabilities that the agent is told follow from which ones are there. Ready-made parts spread
 * into one object:
 *
 * ```ts
 * const client: AgentClient = {
 *   requestPermission: approveReads(),
 *   ...workspaceFiles({ roots: [project] }),
 *   ...localTerminals({ roots: [project] }),
 * };
 * ```
 *
 * A handler tells the agent what went wrong by throwing a {@link ClientRequestError}. The text of any other error is
 * kept from the agent, which then only hears that the request failed.
 */
export interface AgentClient {
  /** `session/update`, in order of arrival. What it returns is awaited before the next update of that session. */
  sessionUpdate?: (notification: SessionNotification, context: SessionUpdateContext) => unknown;
  /** `session/request_permission`. Without a handler every request is refused. */
  requestPermission?: ClientRequestHandler<RequestPermissionRequest, RequestPermissionResponse>;
  /** `fs/read_text_file` */
  readTextFile?: ClientRequestHandler<ReadTextFileRequest, ReadTextFileResponse>;
  /** `fs/write_text_file` */
  writeTextFile?: ClientRequestHandler<WriteTextFileRequest, WriteTextFileResponse>;
  /** `terminal/create`. Terminals are only advertised when all five handlers are there. */
  createTerminal?: ClientRequestHandler<CreateTerminalRequest, CreateTerminalResponse>;
  /** `terminal/output` */
  terminalOutput?: ClientRequestHandler<TerminalOutputRequest, TerminalOutputResponse>;
  /** `terminal/wait_for_exit` */
  waitForTerminalExit?: ClientRequestHandler<WaitForTerminalExitRequest, WaitForTerminalExitResponse>;
  /** `terminal/kill` */
  killTerminal?: ClientRequestHandler<KillTerminalRequest, KillTerminalResponse>;
  /** `terminal/release` */
  releaseTerminal?: ClientRequestHandler<ReleaseTerminalRequest, ReleaseTerminalResponse>;
  /** `elicitation/create`: a form to fill in, and with {@link completeElicitation} also an address to visit. */
  createElicitation?: ClientRequestHandler<CreateElicitationRequest, CreateElicitationResponse>;
  /** `elicitation/complete`: what was asked for at an address is done. With it, the agent may ask in that way. */
  completeElicitation?: (params: CompleteElicitationNotification) => unknown;
  /** Any request that ACP does not define. Return `undefined` for a method that is not known here. */
  extMethod?: (method: string, params: unknown, context: ClientContext) => unknown;
  /** Any notification that ACP does not define. */
  extNotification?: (method: string, params: unknown) => unknown;
  /**
   * Not an ACP method: ends what belongs to a session. The library calls it once for each session that ends, the
   * agent's death included, and waits for it within the session's own way out.
   */
  closeSession?: (sessionId: string) => Promise<void> | void;
}
