import type { AgentSession } from 'acp-launcher';
import { describeError } from '../lab/words.ts';

/** Whether a session still works after what was done to it: by the next prompt, or only by the one after. */
export async function nextPrompt(session: AgentSession, prompt: string, answer: string): Promise<string> {
  const first = await ask(session, prompt, answer);
  if (first === 'answered') return 'next prompt answered';
  return `next prompt ${first}, the one after ${await ask(session, prompt, answer)}`;
}

async function ask(session: AgentSession, prompt: string, answer: string): Promise<string> {
  const turn = session.prompt(prompt);
  const error = await turn.result.then(() => undefined, describeError);
  if (error !== undefined) return error;
  if (turn.textSoFar.includes(answer)) return 'answered';
  return turn.summary.empty ? 'empty' : 'not answered';
}
