import type { ModelFault } from '../lab/mock-models.ts';
import { describeError } from '../lab/words.ts';
import { nextPrompt } from './next-prompt.ts';
import type { Scenario } from './scenario.ts';

/** Agents retry for minutes: what they have not said by then, they have not said. */
const patienceMs = 6_000;

const faults: readonly ModelFault[] = [401, 429, 500, 'reset', 'stall'];

export const backendFaults: readonly Scenario[] = faults.map((fault) => ({
  name: `backend-${fault}`,
  shows: `the model's service fails (${fault}) during a turn, bounded to ${patienceMs / 1000} s, and the session goes on when it works again`,
  async run(context) {
    const session = await context.launch();
    await session.prompt('remember the number 42').result;
    context.models.fault = fault;
    const turn = session.prompt('Hello.', { promptTimeoutMs: patienceMs });
    const startedAt = performance.now();
    const ending = await turn.result.then(
      ({ stopReason }) => `${stopReason}${turn.summary.empty ? ', empty' : ', with text'}`,
      describeError,
    );
    const failedMs = performance.now() - startedAt;
    context.models.fault = undefined;
    const next = await nextPrompt(session, 'which number did I say?', 'You said 42.');
    return {
      verdict: `${ending}; ${next}`,
      times: { failed: failedMs },
      aside: turn.textSoFar.slice(0, 200),
      details: { requests: context.models.requests.length },
    };
  },
}));
