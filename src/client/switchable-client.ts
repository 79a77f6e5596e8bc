import type { AgentClient } from './agent-client.ts';
import { clientErrorCodes, ClientRequestError } from './client-request-error.ts';
import { rejectAll } from './permissions.ts';

type Handler = (...values: unknown[]) => unknown;

/** By name, since a client may be an instance whose handlers stand on its prototype. */
export const handlerNames = [
  'sessionUpdate',
  'requestPermission',
  'readTextFile',
  'writeTextFile',
  'createTerminal',
  'terminalOutput',
  'waitForTerminalExit',
  'killTerminal',
  'releaseTerminal',
  'createElicitation',
  'completeElicitation',
  'extMethod',
  'extNotification',
  'closeSession',
] as const satisfies readonly (keyof AgentClient)[];

/** Handlers that promise an agent nothing: they may come with a later client. */
const promiseNothing = new Set<keyof AgentClient>([
  'sessionUpdate',
  'requestPermission',
  'extMethod',
  'extNotification',
  'closeSession',
]);

const refusePermission = rejectAll() as Handler;

/** The handlers of a client with their own `this`: the same functions each time, so that a Set holds each once. */
const boundHandlers = new WeakMap<AgentClient, Map<keyof AgentClient, Handler>>();
const isBound = new WeakSet<Handler>();

function boundHandler(client: AgentClient, name: keyof AgentClient): Handler | undefined {
  const handler = client[name] as Handler | undefined;
  if (handler === undefined || isBound.has(handler)) return handler;
  const known = boundHandlers.get(client) ?? new Map<keyof AgentClient, Handler>();
  boundHandlers.set(client, known);
  const bound = known.get(name) ?? handler.bind(client);
  known.set(name, bound);
  isBound.add(bound);
  return bound;
}

/** The handlers of `over`, and those of `base` that it has not. */
export function mergeClients(base: AgentClient, over: AgentClient | undefined): AgentClient {
  if (over === undefined) return base;
  const entries = handlerNames.flatMap((name) => {
    const handler = boundHandler(over, name) ?? boundHandler(base, name);
    return handler === undefined ? [] : [[name, handler] as const];
  });
  return Object.fromEntries(entries);
}

/** A client whose handlers can be exchanged while an agent runs. */
export interface SwitchableClient {
  readonly client: AgentClient;
  /** From now on requests and updates go to this one, and to no other. */
  use(next: AgentClient): void;
}

/**
 * A client that passes everything on to the one that is in use. An agent is told the capabilities of the first one,
 * and is not told again: what a later one can't serve is refused.
 */
export function switchableClient(firstClient: AgentClient): SwitchableClient {
  const first = mergeClients({}, firstClient);
  let current = first;
  // What a client started for the session, its terminals for one, must end with it, also when another is in use.
  const closers = new Set<AgentClient['closeSession']>([first.closeSession]);
  const closeSession = async (sessionId: string) => {
    await Promise.all([...closers].map(async (close) => close?.(sessionId)));
  };
  const entries = handlerNames
    .filter((name) => first[name] !== undefined || promiseNothing.has(name))
    .map((name): [string, Handler] => {
      if (name === 'closeSession') return [name, closeSession as Handler];
      return [name, (...values) => handlerOf(current, name)(...values)];
    });
  return {
    client: Object.fromEntries(entries),
    use: (client) => {
      const next = client === firstClient ? first : mergeClients({}, client);
      current = next;
      closers.add(next.closeSession);
    },
  };
}

function handlerOf(client: AgentClient, name: keyof AgentClient): Handler {
  const handler = client[name] as Handler | undefined;
  if (handler !== undefined) return handler;
  if (name === 'requestPermission') return refusePermission;
  if (promiseNothing.has(name)) return () => undefined;
  return () => {
    throw new ClientRequestError(
      clientErrorCodes.invalidParams,
      'the client does not serve this request now',
    );
  };
}
