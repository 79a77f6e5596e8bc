import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { acproxyAgent } from '../../fixtures/index.ts';
import { AgentLauncher } from '../../src/index.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What a process holds that launching must not make more of. */
export interface Holdings {
  readonly fileDescriptors: number;
  readonly listeners: number;
  readonly heapBytes: number;
  /** Timers, sockets, pipes and child processes that keep the process alive. */
  readonly resources: number;
}

export async function takeStock(): Promise<Holdings> {
  // What is closing needs a turn of the event loop or two to be gone.
  for (let round = 0; round < 5; round += 1) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const events = process.eventNames();
  return {
    fileDescriptors: readdirSync('/proc/self/fd').length,
    listeners: events.reduce((sum, event) => sum + process.listenerCount(event), 0),
    heapBytes: process.memoryUsage().heapUsed,
    resources: process.getActiveResourcesInfo().length,
  };
}

/** Launches an agent, prompts it, closes it, over and over; a few to warm up before the first stock is taken. */
export async function runLaunchCycles(
  path: string,
  cycles: number,
): Promise<{ before: Holdings; after: Holdings }> {
  const launcher = new AgentLauncher(acproxyAgent({ chunkDelayMs: 0, quiet: true }));
  const controller = new AbortController();
  const cycle = async (round: number) => {
    const session = await launcher.launch(
      `p${round}`,
      path,
      undefined,
      {},
      {},
      { signal: controller.signal },
    );
    const turn = session.prompt('hello', { signal: controller.signal });
    for await (const _update of turn);
    await session.close();
  };
  for (let round = 0; round < 5; round += 1) await cycle(round);
  const before = await takeStock();
  for (let round = 0; round < cycles; round += 1) await cycle(round);
  const after = await takeStock();
  return { before, after };
}
