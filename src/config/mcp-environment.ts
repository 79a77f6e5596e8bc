import type { McpServer } from '@agentclientprotocol/sdk';
import type { Secret } from '../errors/redactor.ts';
import { secretsFromEnv } from '../errors/secrets-from-env.ts';
import { EnvironmentVariables } from './environment-variables.ts';
import { isAlwaysInherited } from './inherited-variables.ts';

/** Without these a process finds neither its interpreter nor its own files. */
const essentialNames = (platform: NodeJS.Platform) =>
  platform === 'win32' ? ['PATH', 'PATHEXT', 'SYSTEMROOT', 'USERPROFILE'] : ['PATH', 'HOME'];

/**
 * Servers whose env is set, but without `PATH` or `HOME`, get the agent's own: some agents replace the whole
 * environment of an MCP server with the env that they are given, and `npx` or `uvx` is not found then.
 * Servers without env are left as they are; nothing that is set is changed.
 */
export function withInheritedPath(
  servers: readonly McpServer[],
  agentEnv: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): McpServer[] {
  const inherited = new EnvironmentVariables(platform, agentEnv);
  return servers.map((server) => {
    if ('type' in server || server.env.length === 0) return server;
    const own = new EnvironmentVariables(platform);
    for (const { name, value } of server.env) own.set(name, value);
    const missing = essentialNames(platform).flatMap((name) => {
      const value = inherited.get(name);
      return value === undefined || own.get(name) !== undefined ? [] : [{ name, value }];
    });
    return missing.length === 0 ? server : { ...server, env: [...server.env, ...missing] };
  });
}

/**
 * What must never be shown of MCP servers: env values (but for `PATH` and other variables that every process
 * inherits), header values, and credentials within a URL.
 */
export function secretsFromMcpServers(servers: readonly McpServer[]): Secret[] {
  return servers.flatMap((server): Secret[] => {
    if (!('type' in server)) {
      return server.env
        .filter(({ name, value }) => value !== '' && !isAlwaysInherited(name))
        .map(({ name, value }) => ({ name, value, origin: 'explicit' }));
    }
    return [...urlSecrets(server.url), ...server.headers.flatMap(headerSecrets)];
  });
}

/** User and password, and what a query parameter's name marks as secret. */
function urlSecrets(url: string): Secret[] {
  const parameters = Object.fromEntries(new URL(url).searchParams);
  return secretsFromEnv({ ...parameters, url }).map((secret) => ({ ...secret, origin: 'explicit' }));
}

/** `Authorization: Bearer abc` is also a secret without its scheme. */
function headerSecrets({ name, value }: { name: string; value: string }): Secret[] {
  const token = /^\S+ +(\S+)$/.exec(value)?.[1];
  return [value, token].flatMap((secret) =>
    secret === undefined || secret === '' ? [] : [{ name, value: secret, origin: 'explicit' as const }],
  );
}
