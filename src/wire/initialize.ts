import type { ClientCapabilities, InitializeResponse } from '@agentclientprotocol/sdk';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { AgentWire } from './agent-wire.ts';

/** The one protocol version that this library speaks. */
export const protocolVersion = 1;

/** Sent as `clientInfo`; a test holds it equal to package.json. */
export const libraryVersion = '0.1.0';

export interface InitializeOptions {
  readonly capabilities: ClientCapabilities;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Introduces us to the agent and checks that both speak the same protocol version; sends nothing else.
 *
 * @see https://agentclientprotocol.com/protocol/v1/initialization
 * @throws AcpLauncherError `protocol-version` when the agent selected another version, besides what
 * {@link AgentWire.request} throws.
 */
export async function initialize(wire: AgentWire, options: InitializeOptions): Promise<InitializeResponse> {
  const response = await wire.request<InitializeResponse | null>({
    phase: 'initialize',
    method: 'initialize',
    params: {
      protocolVersion,
      clientCapabilities: options.capabilities,
      clientInfo: { name: 'acp-launcher', title: 'acp-launcher', version: libraryVersion },
    },
    timeoutMs: options.timeoutMs,
    signal: options.signal,
  });
  const selected: unknown = response?.protocolVersion;
  if (response === null || selected !== protocolVersion) {
    const message = `the agent selected protocol version ${wire.shown(selected)}, this library speaks ${protocolVersion}`;
    throw new AcpLauncherError('protocol-version', message, { phase: 'initialize', method: 'initialize' });
  }
  const methods: unknown = response.authMethods;
  wire.authMethods = Array.isArray(methods)
    ? methods.flatMap((method: { id?: unknown } | null) =>
        typeof method?.id === 'string' ? [method.id] : [],
      )
    : [];
  return response;
}
