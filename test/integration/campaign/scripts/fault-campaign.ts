import { readdirSync, readFileSync } from 'node:fs';
import { faults, type FaultName } from '../../../../fixtures/faults/registry.ts';
import { phases, runFault, type FaultOutcome, type FaultRun } from './run-fault.ts';

// Every fault of the faulty agent, in the phases of a session, with cancels, closes and kills at seeded moments. To be
// run as process 2 of a pid namespace: whatever process is left then was left by the library.

export interface CampaignRequest {
  /** The bundled faulty agent. */
  readonly agent: string;
  readonly seed: number;
  /** How often every fault is run in every phase; 0: once, in one phase. */
  readonly rounds: number;
}

export interface CampaignReport {
  readonly seed: number;
  readonly runs: number;
  readonly seconds: number;
  readonly slowest: { readonly fault: string; readonly phase: string; readonly ms: number };
  /** How often each outcome was seen. */
  readonly outcomes: Record<string, number>;
  readonly problems: readonly string[];
  /** What there is more of than before. */
  readonly left: {
    readonly processes: readonly string[];
    readonly resources: readonly string[];
    readonly listeners: number;
    readonly fileDescriptors: number;
    readonly unhandledRejections: readonly string[];
  };
}

const request = JSON.parse(process.argv[2] ?? '{}') as CampaignRequest;
const width = 4;

/** The same numbers for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

function planRuns({ seed, rounds }: CampaignRequest): FaultRun[] {
  const random = seeded(seed);
  const names = Object.keys(faults) as FaultName[];
  const afterMs = () => Math.floor(random() * 80);
  if (rounds === 0) {
    const phaseOf = () => phases[Math.floor(random() * phases.length)] ?? 'prompt';
    return names.map((fault) => ({ fault, phase: phaseOf(), afterMs: afterMs() }));
  }
  const runs = Array.from({ length: rounds }, () =>
    names.flatMap((fault) => phases.map((phase) => ({ fault, phase, afterMs: afterMs() }))),
  ).flat();
  // In any order, so that no fault always meets the same neighbours.
  return runs
    .map((run) => ({ run, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ run }) => run);
}

function otherProcesses(): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || pid === '1' || Number(pid) === process.pid) return [];
    try {
      return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
    } catch {
      return [];
    }
  });
}

function takeStock() {
  const names = process.eventNames();
  return {
    resources: process.getActiveResourcesInfo().sort(),
    listeners: names.reduce((sum, name) => sum + process.listenerCount(name), 0),
    fileDescriptors: readdirSync('/proc/self/fd').length,
  };
}

async function settleDown(): Promise<void> {
  for (let round = 0; round < 10; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

const unhandledRejections: string[] = [];
process.on('unhandledRejection', (reason) => unhandledRejections.push(String(reason)));

const runs = planRuns(request);
const outcomes: FaultOutcome[] = [];
// What a first launch sets up once and for all is no leftover.
await runFault({ fault: 'burst', phase: 'prompt', afterMs: 0 }, request.agent, '/tmp');
await settleDown();
const before = takeStock();
const start = performance.now();
const queue = [...runs];
await Promise.all(
  Array.from({ length: width }, async () => {
    for (let run = queue.shift(); run !== undefined; run = queue.shift()) {
      outcomes.push(await runFault(run, request.agent, '/tmp'));
    }
  }),
);
const seconds = (performance.now() - start) / 1_000;
await settleDown();
const after = takeStock();

const slowest = outcomes.reduce((a, b) => (b.settledMs > a.settledMs ? b : a));
const counts: Record<string, number> = {};
for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
const more = [...after.resources];
for (const name of before.resources) {
  const index = more.indexOf(name);
  if (index !== -1) more.splice(index, 1);
}
const report: CampaignReport = {
  seed: request.seed,
  runs: outcomes.length,
  seconds: Math.round(seconds * 10) / 10,
  slowest: { fault: slowest.fault, phase: slowest.phase, ms: Math.round(slowest.settledMs) },
  outcomes: counts,
  problems: outcomes.flatMap(({ fault, phase, afterMs, problem }) =>
    problem === undefined ? [] : [`${fault}, ${phase} after ${afterMs} ms: ${problem}`],
  ),
  left: {
    processes: otherProcesses(),
    resources: more,
    listeners: after.listeners - before.listeners,
    fileDescriptors: after.fileDescriptors - before.fileDescriptors,
    unhandledRejections,
  },
};
process.stdout.write(`${JSON.stringify(report)}\n`);
