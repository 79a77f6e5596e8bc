/**
 * Usage: killed-host AGENT MODE. Runs a host with one launched agent, lets it end in the way of the mode, and reports
 * how many processes are left when all has settled. (`killed-host AGENT MODE host` is the host.)
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { AgentLauncher } from '../../../../src/agent-launcher.ts';
import { othersAlive, report } from '../../process/scripts/tracked-shell.ts';

interface Mode {
  readonly fault: string;
  readonly orphanGuard: boolean;
  /** Launches in a worker thread; the main thread then ends the process by itself. */
  readonly inWorker?: boolean;
  /** The agent lives on: nothing will ever change. */
  readonly staysAlive?: boolean;
}

export const killedHostModes = {
  'follows the end of stdin': { fault: 'burst', orphanGuard: false },
  'ignores the end of stdin': { fault: 'ignores-eof', orphanGuard: false, staysAlive: true },
  'ignores the end of stdin, guarded': { fault: 'ignores-eof', orphanGuard: true },
  'ignores stdin and SIGTERM, guarded': { fault: 'ignores-eof-and-sigterm', orphanGuard: true },
  'ignores the end of stdin, in a worker, guarded': {
    fault: 'ignores-eof',
    orphanGuard: true,
    inWorker: true,
  },
} satisfies Record<string, Mode>;

export type KilledHostMode = keyof typeof killedHostModes;

const [agent = '', name = '', role] = process.argv.slice(2);
const mode: Mode = killedHostModes[name as KilledHostMode];

async function launch(): Promise<void> {
  const { fault, orphanGuard } = mode;
  const command = { command: process.execPath, args: [agent, fault, '{}'] };
  await new AgentLauncher({ ...command, orphanGuard }).launch('project', tmpdir(), undefined, {}, {});
}

async function drive(): Promise<object> {
  const [node, script] = process.argv as [string, string];
  const host = spawn(node, [script, agent, name, 'host'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(host, 'exit');
  await once(createInterface(host.stdout), 'line');
  if (mode.inWorker !== true) host.kill('SIGKILL');
  const [code, signal] = (await exited) as [number | null, string | null];
  // Nothing reports to us any more.
  for (let i = 0; i < 300 && mode.staysAlive !== true && othersAlive().length > 0; i += 1) await delay(50);
  return { end: code ?? signal, left: othersAlive().length };
}

if (role === undefined) {
  report(await drive());
  process.exit(0);
} else if (!isMainThread) {
  await launch();
  parentPort?.postMessage('ready');
} else if (mode.inWorker === true) {
  const worker = new Worker(fileURLToPath(import.meta.url), { argv: process.argv.slice(2) });
  await once(worker, 'message');
  process.stdout.write('ready\n', () => process.exit(0));
} else {
  await launch();
  process.stdout.write('ready\n');
}
