import type { McpCapabilities, McpServer } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { deepFreeze, isPlainObject } from './json-value.ts';
import { invalidConfig } from '../errors/invalid-config.ts';
import { fieldPath, validated } from './validate.ts';

export { secretsFromMcpServers, withInheritedPath } from './mcp-environment.ts';

/** Variables or headers: a map, or ACP's own array form. In a map, `undefined` and `null` leave the entry out. */
export type NameValues =
  | Readonly<Record<string, string | null | undefined>>
  | readonly { readonly name: string; readonly value: string }[];

/** An MCP server that the agent starts as a process and speaks to over stdio. */
export interface McpStdioServerInput {
  readonly name: string;
  readonly type?: 'stdio' | undefined;
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: NameValues | undefined;
  readonly _meta?: Record<string, unknown> | null | undefined;
}

/** An MCP server that the agent reaches over the network, if it advertises the transport. */
export interface McpRemoteServerInput {
  readonly name: string;
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers?: NameValues | undefined;
  readonly _meta?: Record<string, unknown> | null | undefined;
}

/** One entry of RCoder's `context_servers`; fields that are not listed here are ignored. */
export type ContextServerInput = (
  Omit<McpStdioServerInput, 'name'> | Omit<McpRemoteServerInput, 'name'> | Readonly<Record<string, unknown>>
) & { readonly enabled?: boolean | undefined };

/** MCP servers as a list, or as a map from name to server (RCoder's `context_servers`). */
export type McpServersInput =
  readonly (McpStdioServerInput | McpRemoteServerInput)[] | Readonly<Record<string, ContextServerInput>>;

const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a NUL character');
const filled = text.min(1, 'must not be empty');
const meta = z.record(z.string(), z.unknown()).nullish();
const common = { name: filled, _meta: meta };
const stdioFields = {
  ...common,
  type: z.literal('stdio').optional(),
  command: filled,
  args: z.array(text).optional(),
  env: z.unknown().optional(),
};
const remoteFields = {
  ...common,
  type: z.enum(['http', 'sse']),
  url: z.string().refine(isHttpUrl, 'must be an absolute http or https URL'),
  headers: z.unknown().optional(),
};
const pair = z.object({ name: filled, value: text, _meta: meta });

/**
 * MCP servers in ACP's form: `args`, `env` and `headers` always arrays, entries of a map that are switched off
 * (`enabled: false`) left out. The result is deeply frozen.
 * @throws `invalid-config` with the index (or, in a map, the name) and the field: `mcpServers[1].command`.
 */
export function normalizeMcpServers(input: McpServersInput | undefined, root = 'mcpServers'): McpServer[] {
  if (input === undefined) return deepFreeze<McpServer[]>([]);
  const entries = Array.isArray(input) ? fromList(input, root) : fromMap(input, root);
  const firstUse = new Map<string, string>();
  for (const { field, server } of entries) {
    const earlier = firstUse.get(server.name);
    if (earlier !== undefined) throw invalidConfig(`${field}.name`, `the name is already used by ${earlier}`);
    firstUse.set(server.name, field);
  }
  return deepFreeze(entries.map(({ server }) => server));
}

interface Entry {
  readonly field: string;
  readonly server: McpServer;
}

function fromList(input: readonly unknown[], root: string): Entry[] {
  return input.map((value, index) => {
    const field = fieldPath(root, [index]);
    return { field, server: normalizeServer(value, field, z.strictObject) };
  });
}

function fromMap(input: unknown, root: string): Entry[] {
  if (!isPlainObject(input)) throw invalidConfig(root, 'expected an array or a map of MCP servers');
  return Object.entries(input).flatMap(([name, value]) => {
    const field = fieldPath(root, [name]);
    if (!isPlainObject(value)) throw invalidConfig(field, 'expected an object');
    const { enabled } = validated(z.object({ enabled: z.boolean().optional() }), value, field);
    if (enabled === false) return [];
    return [{ field, server: normalizeServer({ ...value, name }, field, z.object) }];
  });
}

/** A list refuses fields that it does not know (a typing error); a map of another program's making ignores them. */
function normalizeServer(
  value: unknown,
  field: string,
  object: typeof z.object | typeof z.strictObject,
): McpServer {
  if (!isPlainObject(value)) throw invalidConfig(field, 'expected an object');
  const { type } = value;
  if (type === 'http' || type === 'sse') {
    const server = validated(object(remoteFields), value, field);
    const headers = nameValues(server.headers, `${field}.headers`);
    return { type, name: server.name, url: server.url, headers, ...metaOf(server) };
  }
  if (type !== undefined && type !== 'stdio') {
    throw invalidConfig(`${field}.type`, 'expected "stdio", "http" or "sse"');
  }
  if (type === undefined && value['command'] === undefined && value['url'] !== undefined) {
    throw invalidConfig(`${field}.type`, 'a server with a url needs the type "http" or "sse"');
  }
  const server = validated(object(stdioFields), value, field);
  const env = nameValues(server.env, `${field}.env`);
  return { name: server.name, command: server.command, args: server.args ?? [], env, ...metaOf(server) };
}

const metaOf = ({ _meta }: { _meta?: Record<string, unknown> | null | undefined }) =>
  _meta === undefined ? {} : { _meta: structuredClone(_meta) };

function nameValues(value: unknown, field: string): { name: string; value: string }[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) {
    return validated(z.array(pair), value, field).map((entry) => ({
      name: entry.name,
      value: entry.value,
      ...metaOf(entry),
    }));
  }
  if (!isPlainObject(value)) throw invalidConfig(field, 'expected a map or an array of { name, value }');
  return Object.entries(value)
    .filter(([, item]) => item !== undefined && item !== null)
    .map(([name, item]) => ({ name, value: validated(text, item, fieldPath(field, [name])) }));
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

/**
 * Checks that the agent takes every server's transport; stdio needs no capability.
 * @throws `capability-missing` naming the entry.
 */
export function checkMcpTransports(
  servers: readonly McpServer[],
  capabilities: McpCapabilities | undefined,
): void {
  for (const [index, server] of servers.entries()) {
    if (!('type' in server) || capabilities?.[server.type] === true) continue;
    throw new AcpLauncherError(
      'capability-missing',
      `the MCP server "${server.name}" uses ${server.type}, which the agent does not advertise in mcpCapabilities`,
      { phase: 'session', field: `mcpServers[${index}].type` },
    );
  }
}
