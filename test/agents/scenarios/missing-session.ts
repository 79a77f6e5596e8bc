import { randomUUID } from 'node:crypto';
import type { ScenarioContext } from '../lab/scenario-context.ts';
import { describeResume, evidenceOf } from '../lab/words.ts';
import type { Outcome, Scenario } from './scenario.ts';

export const unknownId: Scenario = {
  name: 'unknown-id',
  shows: 'a session id that never existed',
  run: (context) => resumeAndPrompt(context, randomUUID()),
};

export const malformedId: Scenario = {
  name: 'malformed-id',
  shows: 'a session id that no agent would give',
  run: (context) => resumeAndPrompt(context, 'not-a-uuid'),
};

export const neverPrompted: Scenario = {
  name: 'never-prompted',
  shows: 'the id of a session that was opened and closed without a prompt',
  async run(context) {
    const session = await context.launch();
    await session.close();
    return resumeAndPrompt(context, session.sessionId);
  },
};

/** Asks a manager for the session, and whether the conversation can go on after what became of that. */
async function resumeAndPrompt(context: ScenarioContext, sessionId: string): Promise<Outcome> {
  const manager = context.manager();
  const fallbacks: string[] = [];
  manager.on('resume-fallback', ({ resume }) => fallbacks.push(resume.status));
  const startedAt = performance.now();
  const { session, turn } = await manager.prompt(
    context.request({ prompt: 'remember the number 7', sessionId }),
  );
  const openMs = performance.now() - startedAt;
  const answered = (await turn.text()).includes('Noted: 7.') ? 'answered' : 'not answered';
  // Seconds on any machine, and far from the deadline of a session that is never answered.
  const inTime = openMs < 30_000 ? '' : '; late';
  const told =
    session.resume.status === 'resumed' || fallbacks.length === 1 ? '' : `; told ${fallbacks.length} times`;
  return {
    verdict: `${describeResume(session.resume)}; ${answered}${told}${inTime}`,
    times: { open: openMs },
    ...evidenceOf(session),
  };
}
