import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { binFolder, cacheFolder } from './cache.ts';

/** The MCP project's own test server: a real one, with an `echo` tool. */
export const mcpServer = {
  folder: join(cacheFolder, 'mcp-server'),
  packages: ['@modelcontextprotocol/server-everything@2026.8.31'],
  command: join(binFolder(join(cacheFolder, 'mcp-server')), 'mcp-server-everything'),
} as const;

/** Runs it as a service, for agents that take no other. */
export async function startHttpMcpServer(): Promise<{ url: string; close(): Promise<void> }> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const server = spawn(mcpServer.command, ['streamableHttp'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  // It says on stderr when it listens.
  await once(server.stderr, 'data');
  server.stderr.resume();
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
