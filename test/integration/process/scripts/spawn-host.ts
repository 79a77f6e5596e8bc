// A host of its own, so that what would crash it is seen. Usage: spawn-host SCENARIO; prints a JSON report.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync } from 'node:fs';
import { noRedaction } from '../../../../src/errors/redactor.ts';
import { AgentProcess, type SpawnAgentRequest } from '../../../../src/process/agent-process.ts';
import { othersAlive, report } from './tracked-shell.ts';

const uncaught: string[] = [];
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error) => uncaught.push(String(error)));
}

function spawn(overrides: Partial<SpawnAgentRequest>): Promise<AgentProcess> {
  return AgentProcess.spawn({
    command: 'cat',
    args: [],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    redactor: noRedaction,
    stderrTailBytes: 64 * 1024,
    closeGraceMs: 300,
    terminateGraceMs: 1_500,
    ...overrides,
  });
}

const shell = (script: string) => spawn({ command: 'sh', args: ['-c', script] });

const outcome = (attempt: Promise<AgentProcess>) =>
  attempt.then(
    async (agent) => (await agent.close()).endedBy,
    (error: unknown) => (error as { code: string }).code,
  );

/** What must be the same before and after. */
function resources() {
  const events = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP', 'beforeExit'];
  return {
    listeners: events.map((event) => process.listenerCount(event)),
    fileDescriptors: readdirSync('/proc/self/fd').length,
    active: process.getActiveResourcesInfo().sort(),
  };
}

/** Closing a handle takes the loop a few rounds. */
async function settle(): Promise<void> {
  for (let tick = 0; tick < 10; tick += 1) await new Promise((resolve) => setImmediate(resolve));
}

const scenarios: Record<string, () => Promise<unknown>> = {
  async failures() {
    const attempts: Partial<SpawnAgentRequest>[] = [
      { command: 'no-such-agent' },
      { cwd: '/no/such/folder' },
      { cwd: '/proc/self/status' },
      { command: '/tmp' },
      { command: '' },
      { args: ['\0'] },
      { args: ['x'.repeat(200_000)] },
      { command: 'x'.repeat(5_000) },
    ];
    const codes = await Promise.all(attempts.map((attempt) => outcome(spawn(attempt))));
    await settle();
    return { codes, uncaught, alive: othersAlive() };
  },

  /** The same with so few file descriptors that the process can't get its pipes. */
  exhausted() {
    const script = 'ulimit -n 64; exec "$0" "$1" exhausted-host';
    const { stdout, stderr } = spawnSync('sh', ['-c', script, process.execPath, process.argv[1] ?? '']);
    if (stdout.length === 0) throw new Error(stderr.toString());
    return Promise.resolve(JSON.parse(stdout.toString()));
  },

  async 'exhausted-host'() {
    await outcome(spawn({}));
    const taken: number[] = [];
    try {
      for (;;) taken.push(openSync('/dev/null', 'r'));
    } catch {
      // Now there is none left.
    }
    const outcomes: string[] = [];
    for (const free of [0, 2, 3]) {
      for (let count = 0; count < free; count += 1) closeSync(taken.pop() ?? -1);
      outcomes.push(await outcome(spawn({})));
    }
    for (const descriptor of taken) closeSync(descriptor);
    outcomes.push(await outcome(spawn({})));
    await settle();
    return { outcomes, uncaught };
  },

  /** A descendant keeps the pipes when the agent goes. */
  async 'pipes-held'() {
    const endings: unknown[] = [];
    for (const way of ['close', 'kill'] as const) {
      const agent = await shell('trap "" HUP; sleep 600 & echo $!; exit 7');
      await once(agent.stdout, 'data');
      const exit = await agent.exited;
      const heldOpen = !agent.stdout.readableEnded && !agent.stdout.destroyed;
      const { endedBy, survivors } = await agent[way]();
      const destroyed = [agent.stdin, agent.stdout].map((stream) => stream.destroyed);
      endings.push({ exit, heldOpen, endedBy, survivors, destroyed });
    }
    await settle();
    return { endings, alive: othersAlive(), uncaught };
  },

  async stubborn() {
    const script = 'trap "" TERM; echo ready; while :; do sleep 1; done';
    const start = performance.now();
    // With graces that only an error could wait for: the kill cuts the close short.
    const patient = await spawn({ command: 'sh', args: ['-c', script], closeGraceMs: 600_000 });
    await once(patient.stdout, 'data');
    // More than the pipe takes, and nobody reads it (X11).
    patient.stdin.write('x'.repeat(5_000_000));
    const reports = await Promise.all([patient.close(), patient.kill(), patient.close()]);
    const inTime = performance.now() - start < 60_000;
    const climbing = await spawn({ command: 'sh', args: ['-c', script], terminateGraceMs: 300 });
    await once(climbing.stdout, 'data');
    climbing.stdin.write('x'.repeat(5_000_000));
    reports.push(await climbing.close());
    await settle();
    return { reports, inTime, alive: othersAlive(), uncaught };
  },

  async 'nothing-left'() {
    const cycle = async () => {
      const agent = await shell('echo out; echo err >&2; cat >/dev/null');
      agent.stdout.on('data', () => undefined);
      agent.stderr.onLine(() => undefined);
      agent.stdin.write('x'.repeat(100_000));
      await agent.close();
      agent.stdin.write('late');
      await outcome(spawn({ command: 'no-such-agent' }));
    };
    const { listeners } = resources();
    // The first one opens what stays for good.
    await cycle();
    await settle();
    const before = { ...resources(), listeners };
    await Promise.all(Array.from({ length: 10 }, cycle));
    await settle();
    return { before, after: resources(), alive: othersAlive(), uncaught };
  },
};

const scenario = scenarios[process.argv[2] ?? ''];
if (scenario === undefined) throw new Error(`no scenario ${process.argv[2]}`);
report(await scenario());
