import type { AgentSession, McpServersInput } from 'acp-launcher';
import { approveAll } from 'acp-launcher';
import { startHttpMcpServer, mcpServer } from '../lab/mcp-server.ts';
import { callTool } from '../lab/models/decide-reply.ts';
import type { ScenarioContext } from '../lab/scenario-context.ts';
import { describeError, messageOf } from '../lab/words.ts';
import type { Scenario } from './scenario.ts';

const serverName = 'everything';

export const mcpUsed: Scenario = {
  name: 'mcp-used',
  shows: "a real MCP server is passed, and the agent's model calls its `echo`",
  async run(context) {
    if (context.agent.mcp !== 'http') {
      return useEcho(context, [{ name: serverName, command: mcpServer.command, args: ['stdio'] }]);
    }
    const server = await startHttpMcpServer();
    try {
      return await useEcho(context, [{ name: serverName, type: 'http', url: server.url }]);
    } finally {
      await server.close();
    }
  },
};

async function useEcho(context: ScenarioContext, mcpServers: McpServersInput) {
  const startedAt = performance.now();
  const session = await context.launch({ mcpServers }, { requestPermission: approveAll() });
  const openMs = performance.now() - startedAt;
  const text = await callEcho(context, session);
  await session.close();
  const said = /Echo: hello/.test(text) ? 'the tool answered' : 'the tool was not called';
  return { verdict: said, times: { open: openMs }, details: { text } };
}

/** Agents connect to MCP servers in the background: a tool that is not offered yet is asked for once more. */
async function callEcho(context: ScenarioContext, session: AgentSession): Promise<string> {
  const { callMcpTool = (_server: string, name: string, input: object) => ({ name, input }) } = context.agent;
  const { name, input } = callMcpTool(serverName, 'echo', { message: 'hello' });
  let text = '';
  for (let attempt = 1; attempt <= 5 && !text.includes('Echo'); attempt += 1) {
    if (attempt > 1) await new Promise((resolve) => setTimeout(resolve, 1_000));
    text = await session.prompt(`Please. ${callTool(name, input)}`).text();
  }
  return text;
}

export const mcpDead: Scenario = {
  name: 'mcp-dead',
  shows:
    'an MCP server that ends at once: whether the session opens, how long that takes, and whether it works',
  async run(context) {
    const mcpServers = [{ name: 'dead', command: '/bin/sh', args: ['-c', 'exit 3'] }];
    const startedAt = performance.now();
    const session = await context.launch({ mcpServers }).catch((error: unknown) => ({ error }));
    const openMs = performance.now() - startedAt;
    if ('error' in session) {
      const { error } = session;
      return {
        verdict: `launch: ${describeError(error)}`,
        aside: messageOf(error),
        times: { open: openMs },
        details: { error },
      };
    }
    const text = await session.prompt('remember the number 42').text();
    return {
      verdict: `opened; prompt ${text.includes('Noted: 42.') ? 'answered' : 'not answered'}`,
      times: { open: openMs },
      details: { text },
    };
  },
};
