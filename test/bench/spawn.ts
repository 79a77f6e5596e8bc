import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { noRedaction } from '../../src/errors/redactor.ts';
import { AgentProcess } from '../../src/process/agent-process.ts';

export const name = 'spawn';

const pairs = 60;

/** From the call to the first line on stdout, against `child_process.spawn`, in turns. */
export async function run(): Promise<{ name: string; ratio: number; goal?: number; detail: string }[]> {
  const env = { PATH: process.env.PATH ?? '' };
  const args = ['-c', 'echo ready; cat >/dev/null'];

  const ours = async () => {
    const start = performance.now();
    const agent = await AgentProcess.spawn({
      command: 'sh',
      args,
      cwd: process.cwd(),
      env,
      redactor: noRedaction,
      stderrTailBytes: 64 * 1024,
      closeGraceMs: 1_500,
      terminateGraceMs: 1_500,
    });
    await once(agent.stdout, 'data');
    const took = performance.now() - start;
    await agent.close();
    return took;
  };
  const plain = async () => {
    const start = performance.now();
    const child = spawn('sh', args, { cwd: process.cwd(), env, detached: true });
    await once(child.stdout, 'data');
    const took = performance.now() - start;
    child.stdin.end();
    await once(child, 'exit');
    return took;
  };

  await ours();
  await plain();
  const ourTimes: number[] = [];
  const plainTimes: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    ourTimes.push(await ours());
    plainTimes.push(await plain());
  }
  const [our, their] = [median(ourTimes), median(plainTimes)];
  const detail = `${our.toFixed(2)} ms against ${their.toFixed(2)} ms, median of ${pairs}`;
  return [{ name: 'spawn to first line', ratio: our / their, detail }];
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
