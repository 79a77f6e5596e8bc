import { otherModelName } from '../lab/catalog/catalog-agent.ts';
import { askForNumber, recallPrompt, rememberPrompt, untilWritten } from './remember.ts';
import type { Scenario } from './scenario.ts';

export const modelChange: Scenario = {
  name: 'model-change',
  shows: 'another model is asked for between two prompts, and the conversation is kept',
  async run(context) {
    const manager = context.manager();
    const { turn } = await manager.prompt(context.request({ prompt: rememberPrompt }));
    await turn.result;
    await untilWritten(context);
    let action = 'none';
    const defaultModel = context.agent.otherModel ?? otherModelName;
    const modelProvider = { ...context.modelProvider, defaultModel };
    const outcome = await askForNumber(context, async () => {
      const granted = await manager.prompt(context.request({ prompt: recallPrompt, modelProvider }));
      action = granted.action;
      return granted;
    });
    const asked = context.models.requests.findLast(({ messages }) =>
      messages.some(({ text }) => text.includes(recallPrompt)),
    );
    return { ...outcome, verdict: `${action}; ${outcome.verdict}; model ${asked?.model}` };
  },
};
