import type { AgentClient } from './agent-client.ts';

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

/**
 * A client whose handlers can be exchanged while an agent runs. It offers what the first one offered: an agent was
 * told those capabilities, and is not told again.
 */
export function switchableClient(first: AgentClient): {
  readonly client: AgentClient;
  readonly use: (next: AgentClient) => void;
} {
  let current = first;
  type Handler = (...values: unknown[]) => unknown;
  const entries = handlerNames
    .filter((key) => first[key] !== undefined)
    .map((key) => {
      const handler: Handler = (...values) => {
        const owner = current[key] === undefined ? first : current;
        return (owner[key] as Handler).apply(owner, values);
      };
      return [key, handler];
    });
  return {
    client: Object.fromEntries(entries) as AgentClient,
    use: (next) => {
      current = next;
    },
  };
}
