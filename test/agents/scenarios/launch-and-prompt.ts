import { describeResume } from '../lab/words.ts';
import type { Scenario } from './scenario.ts';

export const launchAndPrompt: Scenario = {
  name: 'launch-and-prompt',
  shows: 'a preset launches the agent, the model provider reaches it, a prompt is answered, nothing is left',
  async run(context) {
    const startedAt = performance.now();
    const session = await context.launch();
    const launchMs = performance.now() - startedAt;
    const turn = session.prompt('remember the number 42');
    const { stopReason } = await turn.result;
    const text = await turn.text();
    const promptMs = performance.now() - startedAt - launchMs;
    await session.close();
    const request = context.models.requests.find(({ tools }) => tools.length > 0);
    const answered = text.includes('Noted: 42.') ? 'answered' : 'not answered';
    return {
      verdict: `${describeResume(session.resume)}; ${answered}, ${stopReason}; model ${request?.model}`,
      times: { launch: launchMs, prompt: promptMs },
      details: { text, agentInfo: session.connection.agentInfo },
    };
  },
};
