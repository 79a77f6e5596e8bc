import type { ToolCall } from '@agentclientprotocol/sdk';

/** What an agent says of a tool call, and what it said before: fields that are `null` or absent stay as they were. */
export function mergeToolCall(known: ToolCall | undefined, update: object): ToolCall {
  const changes = Object.entries(update).filter(([, value]) => value !== null && value !== undefined);
  return { title: '', ...known, ...Object.fromEntries(changes) } as ToolCall;
}
