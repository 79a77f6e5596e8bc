import { answerSlowly } from '../lab/models/decide-reply.ts';
import { nextPrompt } from './next-prompt.ts';
import type { Scenario } from './scenario.ts';

export const cancel: Scenario = {
  name: 'cancel',
  shows: 'a turn is cancelled in mid-answer, the model request ends, and the same session goes on',
  async run(context) {
    const session = await context.launch();
    const turn = session.prompt(`Count, please. ${answerSlowly(600, 50)}`);
    let cancelledAt = 0;
    for await (const update of turn) {
      if (update.sessionUpdate !== 'agent_message_chunk' || !turn.textSoFar.includes('piece 3')) continue;
      cancelledAt = performance.now();
      break;
    }
    const { stopReason } = await turn.result;
    const cancelMs = performance.now() - cancelledAt;
    const next = await nextPrompt(session, 'remember the number 7', 'Noted: 7.');
    const slow = context.models.requests.filter(({ reply }) => reply?.kind === 'text' && reply.pauseMs > 0);
    const request = slow.every(({ abandoned }) => abandoned) ? 'request ended' : 'request went on';
    const acknowledged = turn.summary.cancelled?.acknowledged === true ? 'acknowledged' : 'not acknowledged';
    return {
      verdict: `${stopReason}, ${acknowledged}; ${request}; ${next}`,
      times: { cancel: cancelMs },
      details: { outcome: turn.summary.cancelled },
    };
  },
};
