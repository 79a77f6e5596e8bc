import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import { AcpLauncherError } from '../../../src/index.ts';
import { managerHarness, type ManagedHost } from '../../helpers/manager-harness.ts';
import { received, textOf } from '../../helpers/received.ts';
import { SeededRandom } from '../../helpers/seeded-random.ts';

const harness = managerHarness();
const values = ['a', 'b'];

/** What may come of a request among all the others. */
const expected = ['aborted', 'agent-exited', 'closed', 'session-busy', 'session-conflict'];

/** What one caller does; it settles, whatever the others do. */
type Action = (host: ManagedHost, random: SeededRandom, round: number) => Promise<unknown>;

const honest = () => faultyAgent([], { store: harness.store, record: harness.record });
const agent = (value: string) => ({ ...honest(), env: { ...honest().env, VALUE: value } });

async function ask(host: ManagedHost, prompt: string, answer: string, extra: object): Promise<void> {
  const { turn } = await host.manager.prompt(harness.request({ prompt, ...extra }));
  const { stopReason } = await turn.result;
  if (stopReason !== 'cancelled') expect(turn.textSoFar.trim()).toBe(answer);
}

const talk: readonly Action[] = [
  (host, random, round) =>
    ask(host, `/echo says ${round}`, `says ${round}`, {
      agentServer: agent(random.pick(values)),
      newSession: random.below(4) === 0,
      evenDuringTurn: random.below(3) === 0,
    }),
  (host, random) => {
    const value = random.pick(values);
    return ask(host, '/env VALUE', value, { agentServer: agent(value) });
  },
  (host, random, round) => {
    const known = host.told('session-open').map(({ session }) => session.sessionId);
    const sessionId = known.length === 0 ? undefined : random.pick(known);
    return ask(host, `/echo says ${round}`, `says ${round}`, { agentServer: agent('a'), sessionId });
  },
  async (host, random, round) => {
    const controller = new AbortController();
    const { signal } = controller;
    const asked = ask(host, `/echo says ${round}`, `says ${round}`, { agentServer: agent('a'), signal });
    asked.catch(() => undefined);
    await delay(random.below(150));
    controller.abort();
    await asked;
  },
  (host, random) =>
    host.manager.getOrCreate(
      harness.request({ agentServer: agent(random.pick(values)), evenDuringTurn: random.below(2) === 0 }),
    ),
];

const trouble: readonly Action[] = [
  (host) => host.manager.cancel('p1'),
  // On a slow machine nothing would ever be opened otherwise.
  async (host, random) => {
    if (host.manager.get('p1') !== undefined || random.below(4) === 0) await host.manager.stop('p1');
  },
  async (host, random) => {
    if (random.below(host.manager.get('p1') === undefined ? 16 : 3) === 0) await host.manager.forget('p1');
  },
  async (host, random) => {
    const connection = host.manager.get('p1')?.connection;
    if (random.below(3) === 0 && connection?.exit === undefined) await connection?.kill();
  },
];

const actions = [...talk, ...talk, ...trouble];

it.each([1, 2])(
  'one project, everything at once: all settles, each prompt is sent once (%i)',
  async (seed) => {
    const random = new SeededRandom(seed);
    const host = harness.manage(honest(), { maxCrashes: Infinity, crashBackoffMs: 0 });
    const alive = new Set<number>();
    let most = 0;
    host.manager.on('session-open', ({ session }) => {
      alive.add(session.connection.pid);
      most = Math.max(most, alive.size);
    });
    host.manager.on('agent-exit', ({ pid }) => void alive.delete(pid));
    const answered = new Set<string>();
    host.manager.on('session-update', ({ session, phase }) => {
      if (phase === 'turn') answered.add(session.sessionId);
    });
    const asked: Promise<unknown>[] = [];
    for (let round = 0; round < 120; round += 1) {
      asked.push(random.pick(actions)(host, random, round));
      asked.at(-1)?.catch(() => undefined);
      await delay(random.below(60));
    }
    const settled = await Promise.allSettled(asked);
    const failures = settled.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    const unexpected = failures.filter(
      (error) => !AcpLauncherError.isInstance(error) || !expected.includes(error.code),
    );
    expect(unexpected).toEqual([]);
    expect(host.told('listener-error')).toEqual([]);
    const lost = host.told('resume-fallback').map(({ resume }) => resume.requestedSessionId);
    expect(lost.filter((sessionId) => answered.has(sessionId))).toEqual([]);
    const texts = received(harness.record, 'session/prompt').map(textOf);
    const sent = texts.filter((text) => text.startsWith('/echo'));
    expect(new Set(sent).size).toBe(sent.length);
    // It is as usable as on the first day.
    await ask(host, '/echo done', 'done', { newSession: true });
    expect(most).toBe(1);
  },
);
