import type { AgentClient } from './agent-client.ts';
import { clientErrorCodes, ClientRequestError } from './client-request-error.ts';
import { rejectAll } from './permissions.ts';

type Handler = (...values: unknown[]) => unknown;

/** By name, since a client may be an instance whose handlers stand on its prototype. */
const handlerNames = [
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

/** The handlers of `over`, and those of `base` that it has not. */
export function mergeClients(base: AgentClient, over: AgentClient | undefined): AgentClient {
  if (over === undefined) return base;
  const entries = handlerNames.flatMap((name) => {
    const owner = over[name] === undefined ? base : over;
    const handler = owner[name] as Handler | undefined;
    return handler === undefined ? [] : [[name, handler.bind(owner)] as const];
  });
  return Object.fromEntries(entries) as AgentClient;
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
export function switchableClient(first: AgentClient): SwitchableClient {
  let current = first;
  // What a client started for the session, its terminals for one, must end with it, also when another is in use.
  const closers = new Set<AgentClient>(first.closeSession === undefined ? [] : [first]);
  const passOn: Handler = async (...values) => {
    await Promise.all([...closers].map((client) => client.closeSession?.(values[0] as string)));
  };
  const entries = handlerNames
    .filter((name) => first[name] !== undefined || promiseNothing.has(name))
    .map((name): [string, Handler] => {
      if (name === 'closeSession') return [name, passOn];
      return [name, (...values) => handlerOf(current, name)(...values)];
    });
  return {
    client: Object.fromEntries(entries) as AgentClient,
    use: (next) => {
      current = next;
      if (next.closeSession !== undefined) closers.add(next);
    },
  };
}

function handlerOf(client: AgentClient, name: keyof AgentClient): Handler {
  const handler = client[name] as Handler | undefined;
  if (handler !== undefined) return handler.bind(client);
  if (name === 'requestPermission') return refusePermission;
  if (promiseNothing.has(name)) return () => undefined;
  return () => {
    throw new ClientRequestError(clientErrorCodes.invalidParams, 'the client does not serve this request now');
  };
}
