import { join } from 'node:path';
import { binFolder, cacheFolder } from './cache.ts';

/** The MCP project's own test server: a real one, with an `echo` tool. */
export const mcpServer = {
  folder: join(cacheFolder, 'mcp-server'),
  packages: ['@modelcontextprotocol/server-everything@2026.8.31'],
  command: join(binFolder(join(cacheFolder, 'mcp-server')), 'mcp-server-everything'),
} as const;
