import type { McpServer } from '@agentclientprotocol/sdk';
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { parseAgentServer, type AgentServerInput } from './agent-command.ts';
import { deepFreeze, frozenJsonObject, isPlainObject, mergeJson, type JsonObject } from './json-value.ts';
import { normalizeMcpServers, type McpServersInput } from './mcp-servers.ts';
import { invalidConfig } from '../errors/invalid-config.ts';
import { checkText } from '../internal/check-input.ts';
import { fieldPath, validated } from './validate.ts';

/** What a session is opened with. */
export interface AgentStartConfigInput {
  /** Appended to the agent's own system prompt, where the agent supports it. */
  readonly systemPrompt?: string | undefined;
  readonly mcpServers?: McpServersInput | undefined;
  /** The session to continue. The only place that a resume comes from. */
  readonly resumeSessionId?: string | undefined;
  /** Merged into `_meta.claudeCode.options`: `{ settingSources: ['project'] }`. */
  readonly claudeCodeOptions?: Readonly<Record<string, unknown>> | undefined;
  /** Merged into `_meta`, under everything that the other fields put there. */
  readonly extraMeta?: Readonly<Record<string, unknown>> | undefined;
  /** A label for the caller's own use. Not sent. */
  readonly serviceType?: string | undefined;
  /** More roots of the session, absolute. Left out and empty differ: an agent may keep the earlier ones. */
  readonly additionalDirectories?: readonly string[] | undefined;
  /** Another agent than the launcher's own. */
  readonly agentServer?: AgentServerInput | undefined;
}

const directory = z
  .string()
  .refine((value) => isAbsolute(value) && !value.includes('\0'), 'must be an absolute path')
  .transform((value) => resolve(value));

/** What is an object of its own is checked by whoever knows it, so that the error names the field within. */
const schema = z.strictObject({
  systemPrompt: z.string().optional(),
  mcpServers: z.unknown().optional(),
  resumeSessionId: z
    .string()
    .refine((value) => value.trim() !== '', 'must not be empty: agents answer an empty id with a new session')
    .optional(),
  claudeCodeOptions: z.unknown().optional(),
  extraMeta: z.unknown().optional(),
  serviceType: z.string().optional(),
  additionalDirectories: z.array(directory).optional(),
  agentServer: z.unknown().optional(),
});

/** These would start, or spoil, a resume behind `resumeSessionId`'s back. */
const resumeOptions = ['resume', 'continue', 'forkSession'];

/**
 * What a session is opened with, validated and immutable, down to the last nested value. Also takes another
 * AgentStartConfig.
 *
 * @throws `invalid-config` naming the field (`mcpServers[1].command`, `extraMeta.claudeCode.options.resume`).
 */
export class AgentStartConfig {
  readonly systemPrompt: string | undefined;
  /** In ACP's form, as they are sent. */
  readonly mcpServers: readonly McpServer[];
  readonly resumeSessionId: string | undefined;
  readonly claudeCodeOptions: JsonObject | undefined;
  readonly extraMeta: JsonObject | undefined;
  readonly serviceType: string | undefined;
  readonly additionalDirectories: readonly string[] | undefined;
  readonly agentServer: AgentServerInput | undefined;

  constructor(input: AgentStartConfigInput = {}) {
    if (typeof input !== 'object' || Array.isArray(input) || (input as unknown) === null)
      throw invalidConfig('startConfig', 'must be an object');
    const fields = validated(schema, input);
    this.systemPrompt = fields.systemPrompt;
    this.mcpServers = normalizeMcpServers(input.mcpServers);
    this.resumeSessionId = fields.resumeSessionId;
    this.claudeCodeOptions = jsonObject(fields.claudeCodeOptions, 'claudeCodeOptions');
    this.extraMeta = jsonObject(fields.extraMeta, 'extraMeta');
    this.serviceType = fields.serviceType;
    this.additionalDirectories = deepFreeze(fields.additionalDirectories);
    this.agentServer = input.agentServer === undefined ? undefined : parseAgentServer(input.agentServer);
    refuseResumeOptions(this.claudeCodeOptions, 'claudeCodeOptions', []);
    refuseResumeOptions(this.extraMeta, 'extraMeta', ['claudeCode', 'options']);
    Object.freeze(this);
  }

  /**
   * What goes into `_meta` of the request that opens the session; `undefined` where it would be empty.
   * A new object at each call. `extraMeta` lies under the rest: it overwrites nothing, and keeps its siblings.
   */
  buildMeta(): Record<string, unknown> | undefined {
    const { systemPrompt, claudeCodeOptions = {}, resumeSessionId } = this;
    const options = {
      ...claudeCodeOptions,
      ...(resumeSessionId !== undefined && { resume: resumeSessionId }),
    };
    const meta = mergeJson(this.extraMeta ?? {}, {
      ...(systemPrompt !== undefined && systemPrompt !== '' && { systemPrompt: { append: systemPrompt } }),
      ...(Object.keys(options).length > 0 && { claudeCode: { options } }),
    });
    return Object.keys(meta).length === 0 ? undefined : meta;
  }

  /** The same configuration without the resume, everything else kept. */
  withoutResume(): AgentStartConfig {
    return this.#changed({ resumeSessionId: undefined });
  }

  /** The same configuration without MCP servers, everything else kept. */
  withoutMcpServers(): AgentStartConfig {
    return this.#changed({ mcpServers: undefined });
  }

  /** The same configuration, resuming this session. */
  withResume(sessionId: string): AgentStartConfig {
    checkText(sessionId, 'resumeSessionId');
    return this.#changed({ resumeSessionId: sessionId });
  }

  #changed(changes: AgentStartConfigInput): AgentStartConfig {
    return new AgentStartConfig(Object.assign({}, this, changes));
  }
}

function jsonObject(value: unknown, field: string): JsonObject | undefined {
  if (value === undefined) return undefined;
  if (!isPlainObject(value)) throw invalidConfig(field, 'expected an object');
  return frozenJsonObject(value, field);
}

function refuseResumeOptions(value: unknown, root: string, path: readonly string[]): void {
  let options = value;
  for (const key of path)
    options = isPlainObject(options) && Object.hasOwn(options, key) ? options[key] : undefined;
  if (!isPlainObject(options)) return;
  for (const key of resumeOptions) {
    if (!Object.hasOwn(options, key)) continue;
    throw invalidConfig(
      fieldPath(root, [...path, key]),
      'is not allowed here; resumeSessionId is the only way to resume',
    );
  }
}
