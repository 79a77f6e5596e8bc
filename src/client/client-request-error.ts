/** The JSON-RPC and ACP error codes that a client answers with. */
export const clientErrorCodes = {
  /** The request is understood and refused: a path outside the roots, an argument of the wrong kind. */
  invalidParams: -32602,
  /** The file, directory or terminal asked for does not exist. */
  notFound: -32002,
  /** The request was in order and could not be carried out. */
  internal: -32603,
  /** The answer is no longer wanted. */
  cancelled: -32800,
} as const;

/**
 * What a handler of an {@link AgentClient} throws to answer a request of the agent with a JSON-RPC error.
 *
 * **Everything in it goes to the agent**: keep the host's secrets and paths outside the workspace out of it.
 */
export class ClientRequestError extends Error {
  /** The JSON-RPC `code`. */
  readonly rpcCode: number;
  /** The JSON-RPC `data`, if any. */
  readonly data: unknown;

  constructor(rpcCode: number, message: string, data?: unknown) {
    super(message);
    this.name = 'ClientRequestError';
    this.rpcCode = rpcCode;
    this.data = data;
  }
}

/** The answer to a request that nobody wants an answer to any more. */
export function cancelledRequest(): ClientRequestError {
  return new ClientRequestError(clientErrorCodes.cancelled, 'the request was cancelled');
}
