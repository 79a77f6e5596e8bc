import { randomUUID } from 'node:crypto';
import { AgentStartConfig, type AgentConnection } from 'acp-launcher';
import type { ScenarioContext } from '../lab/scenario-context.ts';
import type { Scenario } from './scenario.ts';

/** The aim for agents that survive a failed resume: the failure alone takes 0.3 to 1.0 s, a new process the rest. */
const aim = 1.9;
const rounds = 3;
/** A busy machine gets another chance: what is compared runs one after another, and the load may change between. */
const mostRounds = 9;
const mostRoundsMs = 120_000;

/** One round, in milliseconds. */
interface Round {
  readonly launch: number;
  readonly fallback: number;
  readonly newProcess: number;
}

export const fallbackTime: Scenario = {
  name: 'fallback-time',
  shows: `a fallback against a plain launch, and against a new process for the fresh session (medians of ${rounds} rounds or more)`,
  timeoutMs: 240_000,
  timed: true,
  async run(context) {
    const done: Round[] = [];
    const startedAt = performance.now();
    const mayGoOn = () => done.length < mostRounds && performance.now() - startedAt < mostRoundsMs;
    while (done.length < rounds || (mayGoOn() && !isGood(done)))
      done.push(await measure(context, done.length % 2 === 1));
    return {
      verdict: [
        againstLaunch(done) < aim ? `under ${aim} times a launch` : `not under ${aim} times a launch`,
        againstNewProcess(done) < 1 ? 'ahead of a new process' : 'not ahead of a new process',
      ].join('; '),
      aside: `${againstLaunch(done).toFixed(2)} times a launch, ${againstNewProcess(done).toFixed(2)} times a new process`,
      times: {
        launch: median(done.map(({ launch }) => launch)),
        fallback: median(done.map(({ fallback }) => fallback)),
        'new process': median(done.map(({ newProcess }) => newProcess)),
      },
      details: { rounds: done },
    };
  },
};

/** Every other round goes backwards, or a load that grows would always be against the same one. */
async function measure(context: ScenarioContext, backwards: boolean): Promise<Round> {
  const times = { launch: 0, fallback: 0, newProcess: 0 };
  const steps = [
    async () => (times.launch = await timed(() => open(context))),
    async () => (times.fallback = await timed(() => open(context, randomUUID()))),
    async () => (times.newProcess = await timed(() => openOnNewProcess(context))),
  ];
  for (const step of backwards ? steps.reverse() : steps) await step();
  return times;
}

// The ratio within a round, then the median: neighbours share the load of the machine, rounds do not.
const againstLaunch = (done: readonly Round[]) =>
  median(done.map(({ fallback, launch }) => fallback / launch));
const againstNewProcess = (done: readonly Round[]) =>
  median(done.map(({ fallback, newProcess }) => fallback / newProcess));
const isGood = (done: readonly Round[]) => againstLaunch(done) < aim && againstNewProcess(done) < 1;

type Close = () => Promise<unknown>;

/** Opens a session as a service does; without an id a plain launch, with one that nobody knows a fallback. */
async function open(context: ScenarioContext, sessionId?: string): Promise<Close> {
  const manager = context.manager();
  await manager.getOrCreate(context.request(sessionId === undefined ? {} : { sessionId }));
  return () => manager.shutdown();
}

/** What the fallback would be if it gave up the process of the failed attempt. */
async function openOnNewProcess(context: ScenarioContext): Promise<Close> {
  const connection = await context.connect();
  const config = new AgentStartConfig({ resumeSessionId: randomUUID() });
  const method = connection.nativeResumeMethod;
  const native = connection.preset?.resumeStrategy === 'native' && method !== undefined;
  const failed = native ? resumeNatively(connection, config) : connection.openSession(config);
  await failed.catch(() => undefined);
  const closeSecond = await open(context);
  return () => Promise.all([connection.close(), closeSecond()]);
}

function resumeNatively(connection: AgentConnection, config: AgentStartConfig) {
  const { resumeSessionId = '' } = config;
  return connection.nativeResumeMethod === 'session/resume'
    ? connection.resumeSession(resumeSessionId, config)
    : connection.loadSession(resumeSessionId, config);
}

/** The wait of the caller, until the session is open: closing it is not part of that. */
async function timed(work: () => Promise<Close>): Promise<number> {
  const startedAt = performance.now();
  const close = await work();
  const milliseconds = performance.now() - startedAt;
  await close();
  return milliseconds;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
