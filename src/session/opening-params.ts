import type { AgentCapabilities, McpServer } from '@agentclientprotocol/sdk';
import type { AgentStartConfig } from '../config/agent-start-config.ts';
import { isOffered } from './advertised.ts';

export type OpeningMethod = 'session/new' | 'session/load' | 'session/resume';

/** The parameters of a request that opens a session, as this agent takes them. */
export interface OpeningParams {
  readonly cwd: string;
  /** Always an array: nearly all agents refuse a request without it. */
  readonly mcpServers: readonly McpServer[];
  readonly sessionId?: string;
  readonly additionalDirectories?: readonly string[];
  readonly systemPrompt?: object;
  readonly _meta?: Record<string, unknown>;
}

/**
 * Builds the parameters, and names what was configured but is not sent since the agent does not advertise it.
 *
 * `additionalDirectories` is only sent where it is advertised and was set: absent means "as they were", an empty list
 * means "none". The system prompt always travels in `_meta`, and at the top level as well where that is advertised.
 */
export function openingParams(
  request: {
    readonly method: OpeningMethod;
    readonly config: AgentStartConfig;
    /** The configuration's own, as they are sent. */
    readonly mcpServers: readonly McpServer[];
    readonly additionalDirectories: readonly string[] | undefined;
    readonly sessionId: string | undefined;
    readonly cwd: string;
  },
  capabilities: AgentCapabilities,
): { readonly params: OpeningParams; readonly notSent: readonly string[] } {
  const { method, config, mcpServers, additionalDirectories, sessionId, cwd } = request;
  const { systemPrompt } = config;
  const session: Record<string, unknown> = { ...capabilities.sessionCapabilities };
  const takesDirectories = isOffered(session['additionalDirectories']);
  const takesSystemPrompt = isOffered(session['systemPrompt']);
  // The id travels as a parameter of its own; naming it in `_meta` too would resume twice.
  const meta = (method === 'session/new' ? config : config.withoutResume()).buildMeta();
  return {
    params: {
      ...(method === 'session/new' || sessionId === undefined ? {} : { sessionId }),
      cwd,
      mcpServers,
      ...(additionalDirectories !== undefined && takesDirectories ? { additionalDirectories } : {}),
      ...(systemPrompt !== undefined && takesSystemPrompt
        ? { systemPrompt: { mode: 'append', content: [{ type: 'text', text: systemPrompt }] } }
        : {}),
      ...(meta === undefined ? {} : { _meta: meta }),
    },
    notSent: additionalDirectories !== undefined && !takesDirectories ? ['additionalDirectories'] : [],
  };
}
