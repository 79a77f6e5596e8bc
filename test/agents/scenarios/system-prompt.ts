import type { ScenarioContext } from '../lab/scenario-context.ts';
import { untilWritten } from './remember.ts';
import type { Scenario } from './scenario.ts';

export const systemPrompt: Scenario = {
  name: 'system-prompt',
  shows: 'which system prompt the model receives: at the start, and when a resume brings another one',
  async run(context) {
    const manager = context.manager();
    const first = await ask(context, () =>
      manager.prompt(context.request({ prompt: 'Hello.', systemPrompt: 'MARKER-ONE' })),
    );
    await untilWritten(context);
    await manager.stop('project');
    const second = await ask(context, () =>
      manager.prompt(context.request({ prompt: 'Hello again.', systemPrompt: 'MARKER-TWO' })),
    );
    return { verdict: `new: ${first}; resumed: ${second}` };
  },
};

async function ask(
  context: ScenarioContext,
  prompt: () => ReturnType<ReturnType<ScenarioContext['manager']>['prompt']>,
) {
  const before = context.models.requests.length;
  const { turn } = await prompt();
  await turn.result;
  const asked = context.models.requests.slice(before).findLast(({ tools }) => tools.length > 0);
  const received = JSON.stringify([asked?.system, asked?.messages]);
  const markers = ['ONE', 'TWO'].flatMap((name) => {
    const times = received.split(`MARKER-${name}`).length - 1;
    return times === 0 ? [] : [times === 1 ? name : `${name} ${times} times`];
  });
  return markers.length === 0 ? 'none' : markers.join(' and ');
}
