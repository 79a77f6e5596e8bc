import type { AgentCapabilities } from '@agentclientprotocol/sdk';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';

/** Methods that an agent need not have, and where it says that it does. */
const capabilityOf = {
  'session/load': (capabilities) => capabilities.loadSession,
  'session/resume': (capabilities) => capabilities.sessionCapabilities?.resume,
  'session/list': (capabilities) => capabilities.sessionCapabilities?.list,
  'session/delete': (capabilities) => capabilities.sessionCapabilities?.delete,
  'session/close': (capabilities) => capabilities.sessionCapabilities?.close,
  logout: (capabilities) => capabilities.auth?.logout,
} satisfies Record<string, (capabilities: AgentCapabilities) => unknown>;

export type OptionalMethod = keyof typeof capabilityOf;

export function isAdvertised(method: OptionalMethod, capabilities: AgentCapabilities): boolean {
  return isOffered(capabilityOf[method](capabilities));
}

/** Whether the value of a capability says that it is there: an object in ACP, `true` from some agents. */
export function isOffered(capability: unknown): boolean {
  return capability !== undefined && capability !== null && capability !== false;
}

/** @throws AcpLauncherError `capability-missing` */
export function assertAdvertised(method: OptionalMethod, capabilities: AgentCapabilities): void {
  if (isAdvertised(method, capabilities)) return;
  const message = `the agent does not advertise ${method}; nothing was sent`;
  throw new AcpLauncherError('capability-missing', message, { phase: 'session', method });
}

/** `session/resume` before `session/load`. */
export function nativeResumeMethod(
  capabilities: AgentCapabilities,
): 'session/resume' | 'session/load' | undefined {
  const methods = ['session/resume', 'session/load'] as const;
  return methods.find((method) => isAdvertised(method, capabilities));
}

/** @param offered - The ids that the agent offers. @throws AcpLauncherError `capability-missing` */
export function assertOffered(
  what: 'mode' | 'config option',
  id: string,
  offered: readonly string[],
  sessionId: string,
): void {
  if (offered.includes(id)) return;
  const list = offered.length === 0 ? `it offers no ${what}s` : `it offers ${offered.join(', ')}`;
  const message = `the agent does not offer the ${what} ${JSON.stringify(id)}; ${list}`;
  throw new AcpLauncherError('capability-missing', message, { phase: 'session', sessionId });
}
