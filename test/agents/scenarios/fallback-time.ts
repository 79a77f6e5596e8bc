import { randomUUID } from 'node:crypto';
import { AgentStartConfig, type AgentConnection } from 'acp-launcher';
import type { ScenarioContext } from '../lab/scenario-context.ts';
import type { Scenario } from './scenario.ts';

const rounds = 3;
/** The aim for agents that survive a failed resume: the failure alone takes 0.3 to 1.0 s, a new process the rest. */
const aim = 1.9;

export const fallbackTime: Scenario = {
  name: 'fallback-time',
  shows: `a fallback against a plain launch (median of ${rounds}, taken in turn), and against a new process for the fresh session`,
  timeoutMs: 180_000,
  async run(context) {
    const plain: number[] = [];
    const fallback: number[] = [];
    const newProcess: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      plain.push(await timed(() => open(context)));
      fallback.push(await timed(() => open(context, randomUUID())));
      newProcess.push(await timed(() => openOnNewProcess(context)));
    }
    const [launchMs, fallbackMs, newProcessMs] = [median(plain), median(fallback), median(newProcess)];
    const ratio = fallbackMs / launchMs;
    return {
      verdict: [
        ratio < aim ? `under ${aim} times a launch` : `not under ${aim} times a launch`,
        fallbackMs < newProcessMs ? 'ahead of a new process' : 'not ahead of a new process',
      ].join('; '),
      times: { launch: launchMs, fallback: fallbackMs, 'new process': newProcessMs },
      details: { ratio, plain, fallback, newProcess },
    };
  },
};

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
