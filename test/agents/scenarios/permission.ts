import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { approveAll, rejectAll, type AgentClient } from 'acp-launcher';
import { callTool } from '../lab/models/decide-reply.ts';
import type { ScenarioContext } from '../lab/scenario-context.ts';
import { describeError } from '../lab/words.ts';
import type { Scenario } from './scenario.ts';

export const permission: Scenario = {
  name: 'permission',
  shows:
    'the agent asks before it runs a command: allowed, it runs it; refused, or with no handler, it does not',
  async run(context) {
    const allowed = await attempt(context, { requestPermission: approveAll() });
    const refused = await attempt(context, { requestPermission: rejectAll() });
    const unhandled = await attempt(context, {});
    return {
      verdict: `allowed: ${allowed.verdict}; refused: ${refused.verdict}; no handler: ${unhandled.verdict}`,
      details: { allowed, refused, unhandled },
    };
  },
};

async function attempt(context: ScenarioContext, client: AgentClient) {
  const { askingTool } = context.agent;
  if (!askingTool) throw new Error('the catalog knows no tool that asks');
  const session = await context.launch({}, client);
  const asked: unknown[] = [];
  session.connection.on('permission', (request, response) => asked.push({ request, response }));
  const file = join(context.folders.project, `made-${session.sessionId}`);
  const turn = session.prompt(`Please. ${callTool(askingTool.name, askingTool.input(file))}`);
  const ending = await turn.result.then(({ stopReason }) => stopReason, describeError);
  await session.close();
  const made = existsSync(file) ? 'ran' : 'did not run';
  return { verdict: `asked ${asked.length}, ${made}, ${ending}`, asked, text: turn.textSoFar };
}
