import { describeError, messageOf } from '../lab/words.ts';
import type { Scenario } from './scenario.ts';

export const noCredentials: Scenario = {
  name: 'no-credentials',
  shows: 'no model provider, and no login of any kind',
  withLogin: false,
  async run(context) {
    const startedAt = performance.now();
    const turnOrError = await context
      .launchWithoutLogin()
      .then((session) => ({ session, turn: session.prompt('Hello.') }))
      .catch((error: unknown) => ({ error }));
    const openMs = performance.now() - startedAt;
    if ('error' in turnOrError) {
      const { error } = turnOrError;
      return {
        verdict: `launch: ${describeError(error)}`,
        aside: messageOf(error),
        times: { open: openMs },
        details: { error },
      };
    }
    const { turn } = turnOrError;
    const ending = await turn.result.then(
      ({ stopReason }) => `${stopReason}${turn.summary.empty ? ', empty' : ', with text'}`,
      describeError,
    );
    return {
      verdict: `prompt: ${ending}`,
      times: { open: openMs, prompt: performance.now() - startedAt - openMs },
      aside: turn.textSoFar.slice(0, 200),
    };
  },
};
