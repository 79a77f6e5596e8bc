/**
 * Closing a hundred agents at once, against a host that only ends their stdin and waits for their exits; and what
 * one scan of the process table costs, against one `ps`.
 *
 * `npm run bench` runs it with the others; `npx tsx test/bench/close-many.ts` alone.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { processScanner } from '../../src/process/process-scanner.ts';
import { createLease, leaseVariable, trackTree } from '../../src/process/terminate-agent.ts';

export const name = 'close-many';

const agents = 100;
/** After one that only warms up. */
const rounds = 5;

interface Agent {
  /** What a plain host would do. */
  closePlainly(): Promise<unknown>;
  killPlainly(): Promise<unknown>;
  /** What we do. */
  close(options: { now: boolean }): Promise<unknown>;
}

async function spawnAgent(tracked: boolean): Promise<Agent> {
  const lease = createLease();
  const child = spawn('cat', {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, [leaseVariable]: lease },
  });
  const exited = once(child, 'exit');
  child.stdin.write('ready');
  const ready = once(child.stdout, 'data');
  const pid = child.pid!;
  const endInput = () => child.stdin.end();
  const tree = tracked ? trackTree({ pid, lease, exited, endInput }) : undefined;
  child.once('exit', () => tree?.noteExit());
  // A hundred programs that are still starting would be what is measured.
  await ready;
  return {
    closePlainly() {
      endInput();
      return exited;
    },
    killPlainly() {
      process.kill(-pid, 'SIGKILL');
      return exited;
    },
    async close(options) {
      const report = await tree?.terminate({ closeGraceMs: 10_000, terminateGraceMs: 10_000, ...options });
      if (report?.survivors.length !== 0) throw new Error(`survivors: ${JSON.stringify(report)}`);
      tree?.release();
    },
  };
}

interface Measurement {
  readonly ms: number;
  /** The longest time in which the event loop did nothing else. */
  readonly stallMs: number;
}

async function measure(tracked: boolean, end: (agent: Agent) => Promise<unknown>): Promise<Measurement> {
  const all = await Promise.all(Array.from({ length: agents }, () => spawnAgent(tracked)));
  let last = performance.now();
  let stallMs = 0;
  const beat = setInterval(() => {
    stallMs = Math.max(stallMs, performance.now() - last);
    last = performance.now();
  }, 1);
  const start = performance.now();
  await Promise.all(all.map(end));
  const ms = performance.now() - start;
  clearInterval(beat);
  return { ms, stallMs };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Alternates the two, so that a busy machine is busy for both. */
async function compare(plain: (agent: Agent) => Promise<unknown>, ours: (agent: Agent) => Promise<unknown>) {
  const plainRuns: Measurement[] = [];
  const ourRuns: Measurement[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    plainRuns.push(await measure(false, plain));
    ourRuns.push(await measure(true, ours));
  }
  const plainMs = median(plainRuns.slice(1).map(({ ms }) => ms));
  const ourMs = median(ourRuns.slice(1).map(({ ms }) => ms));
  const stalls = [plainRuns, ourRuns].map((runs) =>
    median(runs.slice(1).map(({ stallMs }) => stallMs)).toFixed(0),
  );
  return {
    ratio: ourMs / plainMs,
    detail: `${ourMs.toFixed(0)} ms, plain ${plainMs.toFixed(0)} ms; longest stall ${stalls[1]} ms, plain ${stalls[0]} ms`,
  };
}

function timeOf(work: () => void): number {
  const times: number[] = [];
  for (let i = 0; i < 15; i += 1) {
    const start = performance.now();
    work();
    times.push(performance.now() - start);
  }
  return median(times);
}

export async function run(): Promise<{ name: string; ratio: number; goal?: number; detail: string }[]> {
  const processes = processScanner.reader.readAll().records.length;
  const scanMs = timeOf(() => processScanner.read());
  const psMs = timeOf(() => spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,lstart=']));
  const closing = await compare(
    (agent) => agent.closePlainly(),
    (agent) => agent.close({ now: false }),
  );
  const killing = await compare(
    (agent) => agent.killPlainly(),
    (agent) => agent.close({ now: true }),
  );
  return [
    { name: `close ${agents} agents at once`, goal: 4, ...closing },
    { name: `kill ${agents} agents at once`, ...killing },
    {
      name: 'one scan of the process table, against ps',
      ratio: scanMs / psMs,
      goal: 1,
      detail: `${scanMs.toFixed(2)} ms, ps ${psMs.toFixed(2)} ms, ${processes} processes`,
    },
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await run());
