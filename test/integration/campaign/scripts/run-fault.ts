import { setTimeout as delay } from 'node:timers/promises';
import type { FaultName } from '../../../../fixtures/faults/registry.ts';
import { AgentLauncher } from '../../../../src/agent-launcher.ts';
import type { AgentSession } from '../../../../src/agent-session.ts';
import type { AgentClient } from '../../../../src/client/agent-client.ts';
import { approveAll } from '../../../../src/client/permissions.ts';
import { AcpLauncherError } from '../../../../src/errors/acp-launcher-error.ts';
import { withDeadline } from '../../../../src/internal/deadline.ts';
import type { PromptTurn } from '../../../../src/session/prompt-turn.ts';
import { expectations, type Expectation } from './expectations.ts';

export const phases = ['launch', 'abort', 'prompt', 'cancel', 'close', 'kill'] as const;
export type CampaignPhase = (typeof phases)[number];

export interface FaultRun {
  readonly fault: FaultName;
  readonly phase: CampaignPhase;
  /** Of the cancel, close or kill, from the moment at which the prompt was sent; of the abort, from the launch's. */
  readonly afterMs: number;
}

export interface FaultOutcome extends FaultRun {
  /** `ok`, `cancelled`, or the code of the error. */
  readonly outcome: string;
  readonly settledMs: number;
  /** What was not as it had to be. */
  readonly problem?: string;
}

/** Everything settles within this, whatever the agent does: the sum of the limits below, on a busy machine. */
const deadlineMs = 20_000;

const limits = {
  closeGraceMs: 300,
  terminateGraceMs: 300,
  closeSessionTimeoutMs: 300,
  flushGraceMs: 10,
};

const client: AgentClient = { requestPermission: approveAll(), sessionUpdate: () => undefined };

/** One launch of an agent that misbehaves, with all that may be asked of it in this phase. */
export async function runFault(run: FaultRun, agent: string, folder: string): Promise<FaultOutcome> {
  const expected = expectations[run.fault] ?? {};
  const start = performance.now();
  const limit = { timeoutMs: deadlineMs, onTimeout: () => new Error('the deadline has passed') };
  const outcome = await withDeadline(perform(run, expected, agent, folder), limit).catch(
    (error: unknown) => `threw ${String(error)}`,
  );
  const settledMs = performance.now() - start;
  const allowed = allowedOutcomes(run.phase, expected);
  if (allowed.includes(outcome)) return { ...run, outcome, settledMs };
  return { ...run, outcome, settledMs, problem: `${outcome} instead of ${allowed.join(' or ')}` };
}

async function perform(
  { fault, phase, afterMs }: FaultRun,
  expected: Expectation,
  agent: string,
  folder: string,
): Promise<string> {
  const launcher = new AgentLauncher({
    command: process.execPath,
    args: [agent, fault, JSON.stringify(expected.options ?? {})],
    ...limits,
    ...expected.limits,
  });
  let session: AgentSession;
  const controller = new AbortController();
  const abort = phase === 'abort' ? setTimeout(() => controller.abort(), afterMs * 5) : undefined;
  try {
    session = await launcher.launch('campaign', folder, undefined, {}, client, { signal: controller.signal });
  } catch (error) {
    return codeOf(error);
  } finally {
    clearTimeout(abort);
  }
  if (phase === 'launch' || phase === 'abort') {
    await session.close();
    return 'ok';
  }
  // Faults that do not care what they are asked answer both; the others are met in the middle of a turn.
  const turn = session.prompt(phase === 'prompt' ? 'go' : '/slow 60000');
  if (phase === 'cancel') await delay(afterMs).then(() => turn.cancel());
  if (phase === 'close') await delay(afterMs).then(() => session.close());
  if (phase === 'kill') await delay(afterMs).then(() => session.connection.kill());
  const outcome = await outcomeOf(turn);
  await session.close();
  return outcome;
}

async function outcomeOf(turn: PromptTurn): Promise<string> {
  try {
    return (await turn.result).stopReason === 'cancelled' ? 'cancelled' : 'ok';
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  return AcpLauncherError.isInstance(error) ? error.code : `not ours: ${String(error)}`;
}

/** A launch, or a turn, may be over before it is aborted, cancelled or closed. */
function allowedOutcomes(phase: CampaignPhase, { launch, turn = 'ok' as never }: Expectation): string[] {
  if (phase === 'abort') return [launch ?? 'ok', 'aborted'];
  if (launch !== undefined) return [launch];
  if (phase === 'launch') return ['ok'];
  if (phase === 'prompt') return [turn];
  return [turn, phase === 'cancel' ? 'cancelled' : 'closed'];
}
