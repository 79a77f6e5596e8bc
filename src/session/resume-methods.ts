import type { AgentCapabilities } from '@agentclientprotocol/sdk';
import type { OpeningMethod } from './opening-params.ts';

/** The methods by which a session may be resumed, in the order in which they are tried; never one that is not advertised. */
export function resumeMethods(
  strategy: 'meta' | 'native',
  { loadSession, sessionCapabilities }: AgentCapabilities,
): readonly OpeningMethod[] {
  if (strategy === 'meta') return ['session/new'];
  return [
    ...(sessionCapabilities?.resume == null ? [] : (['session/resume'] as const)),
    ...(loadSession === true ? (['session/load'] as const) : []),
    'session/new',
  ];
}
