import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { acproxyAgent, faultyAgent } from '../../fixtures/index.ts';

export const name = 'fixture start-up';

const rounds = 30;

/**
 * From spawn to the `initialize` response, against a bare Node process that answers by hand. In turns, so that a busy
 * moment of the machine hits all of them alike.
 */
export async function run(): Promise<{ name: string; ratio: number; goal?: number; detail: string }[]> {
  const bare = fileURLToPath(new URL('bare-agent.mjs', import.meta.url));
  const agents = [
    { name: 'bare', args: [bare] },
    { name: 'acproxy', args: acproxyAgent({ quiet: true }).args, goal: 1.7 },
    { name: 'faulty agent', args: faultyAgent([]).args },
  ];
  const times = agents.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, { args }] of agents.entries()) {
      const took = await timeToInitialize(args);
      // The first round only warms the file cache.
      if (round > 0) times[index]?.push(took);
    }
  }
  const [base = Number.NaN, ...medians] = times.map(median);
  return medians.map((took, index) => {
    const { name = '', goal } = agents[index + 1] ?? {};
    const detail = `${took.toFixed(1)} ms against ${base.toFixed(1)} ms, median of ${rounds}`;
    return { name, ratio: took / base, detail, ...(goal !== undefined && { goal }) };
  });
}

async function timeToInitialize(args: readonly string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const params = { protocolVersion: 1, clientCapabilities: {} };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`);
  await once(child.stdout, 'data');
  const elapsed = performance.now() - start;
  child.stdin.end();
  await exited;
  return elapsed;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
