import type { ManagedTurn, SessionManager, SessionManagerOptions, SessionStore } from 'acp-launcher';
import type { ModelRequest } from '../lab/mock-models.ts';
import type { ScenarioContext } from '../lab/scenario-context.ts';
import { describeResume, evidenceOf } from '../lab/words.ts';
import type { Outcome } from './scenario.ts';

export const rememberPrompt = '记住数字 42';
export const recallPrompt = '我之前说的数字是多少？';
const recalled = '你之前说的数字是 42';

/** Agents write their transcript a moment after they answer, and nothing tells when: what is killed sooner is lost. */
export function untilWritten({ agent }: ScenarioContext): Promise<void> {
  const minuteMs = 60_000;
  const waitMs = agent.resumableNextMinute === true ? minuteMs - (Date.now() % minuteMs) + 500 : 700;
  return new Promise((resolve) => setTimeout(resolve, waitMs));
}

/** A conversation that knows the number, whose agent was then killed as the kernel does it when memory is short. */
export async function rememberAndKill(context: ScenarioContext, store: SessionStore): Promise<string> {
  const manager = context.manager({ store });
  const { session, turn } = await manager.prompt(context.request({ prompt: rememberPrompt }));
  await turn.result;
  await untilWritten(context);
  process.kill(session.connection.pid, 'SIGKILL');
  await session.connection.exited;
  await manager.shutdown();
  return session.sessionId;
}

/** A conversation that knows the number, whose agent was closed in order. */
export async function rememberAndClose(context: ScenarioContext): Promise<string> {
  const session = await context.launch();
  await session.prompt(rememberPrompt).result;
  await untilWritten(context);
  await session.close();
  return session.sessionId;
}

/** What a later service makes of a conversation: a manager that starts from nothing but the store. */
export function laterManager(
  context: ScenarioContext,
  store: SessionStore,
  options: Partial<SessionManagerOptions> = {},
): SessionManager {
  return context.manager({ ...options, store });
}

/** Asks for the number, and tells how the session was opened, what was answered, and what the model had received. */
export async function askForNumber(
  context: ScenarioContext,
  ask: () => Promise<Pick<ManagedTurn, 'session' | 'turn'>>,
): Promise<Outcome> {
  const before = context.models.requests.length;
  const startedAt = performance.now();
  const { session, turn } = await ask();
  const openMs = performance.now() - startedAt;
  const text = await turn.text();
  const asked = context.models.requests.slice(before);
  const memory = text.includes(recalled) ? 'answered 42' : 'did not know the number';
  const received = asked.some(hasOldMessages) ? 'old messages received' : 'no old messages received';
  return {
    verdict: `${describeResume(session.resume)}; ${memory}; ${received}`,
    times: { open: openMs, answer: performance.now() - startedAt - openMs },
    ...evidenceOf(session),
    details: { text },
  };
}

function hasOldMessages({ messages }: ModelRequest): boolean {
  const text = messages.filter(({ role }) => role === 'user').map((message) => message.text);
  return text.join('\n').includes(rememberPrompt) && text.join('\n').includes(recallPrompt);
}
