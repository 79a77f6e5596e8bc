import { answerSlowly } from '../lab/models/decide-reply.ts';
import { describeError } from '../lab/words.ts';
import type { Scenario } from './scenario.ts';

/** On a busy machine what follows the end of stdin comes too late, and SIGTERM is there first. */
const manner = (endedBy: string) => (endedBy === 'SIGKILL' ? 'killed' : 'ended in order');

export const closeIdle: Scenario = {
  name: 'close-idle',
  shows: 'an idle session is closed: what it took, and that no process is left when `close()` resolves',
  async run(context) {
    const session = await context.launch();
    await session.prompt('Hello.').result;
    const before = context.leftovers.find().length;
    const startedAt = performance.now();
    await session.close();
    const closeMs = performance.now() - startedAt;
    const left = context.leftovers.find();
    const { endedBy } = await session.connection.close();
    return {
      verdict: `${manner(endedBy)}; ${left.length} left`,
      aside: `${before} processes, the last ended by ${endedBy}`,
      times: { close: closeMs },
      details: { left, exit: session.connection.exit },
    };
  },
};

export const closeBusy: Scenario = {
  name: 'close-busy',
  shows: 'the same in mid-answer: the turn ends with `closed`',
  async run(context) {
    const session = await context.launch();
    const turn = session.prompt(`Count, please. ${answerSlowly(600, 50)}`);
    await context.models.waitFor(({ reply }) => reply?.kind === 'text' && reply.pauseMs > 0);
    const before = context.leftovers.find().length;
    const startedAt = performance.now();
    await session.close();
    const closeMs = performance.now() - startedAt;
    const left = context.leftovers.find();
    const ending = await turn.result.then(({ stopReason }) => stopReason, describeError);
    const { endedBy } = await session.connection.close();
    return {
      verdict: `turn ${ending}; ${manner(endedBy)}; ${left.length} left`,
      aside: `${before} processes, the last ended by ${endedBy}`,
      times: { close: closeMs },
      details: { left, exit: session.connection.exit },
    };
  },
};

export const killBusy: Scenario = {
  name: 'kill-busy',
  shows:
    'the agent is killed from outside in mid-answer: the turn fails at once and nothing it started is left',
  async run(context) {
    const session = await context.launch();
    const turn = session.prompt(`Count, please. ${answerSlowly(600, 50)}`);
    await context.models.waitFor(({ reply }) => reply?.kind === 'text' && reply.pauseMs > 0);
    const startedAt = performance.now();
    process.kill(session.connection.pid, 'SIGKILL');
    const ending = await turn.result.then(({ stopReason }) => stopReason, describeError);
    const toldMs = performance.now() - startedAt;
    await session.close();
    const left = context.leftovers.find();
    return {
      verdict: `turn ${ending}; ${left.length} left`,
      times: { told: toldMs, close: performance.now() - startedAt - toldMs },
      details: { left, exit: session.connection.exit },
    };
  },
};
