import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { settledWithin } from '../internal/deadline.ts';
import { hostLease, leaseVariable } from './lease.ts';
import { linuxProcessReader } from './linux-process-reader.ts';
import { farewell, guardScript } from './orphan-guard-script.ts';

const farewellTimeoutMs = 1_000;

interface Guard {
  readonly child: ChildProcess;
  users: number;
}

let guard: Guard | undefined;

/**
 * Starts, or shares, a small shell that outlives a host which was killed by SIGKILL and then ends the agents that
 * do not follow the end of their stdin: SIGTERM after 1.5 s, SIGKILL after another 1.5 s. It finds them by the
 * lease in their environment and signals their process groups; a descendant that has left its agent's group and
 * dropped its environment escapes it.
 *
 * Linux only: elsewhere this does nothing. Costs one process of 0.4 MB; does not keep the host alive.
 */
export function startOrphanGuard(): { close(): Promise<void> } {
  if (process.platform !== 'linux') return { close: () => Promise.resolve() };
  guard ??= { child: spawnGuard(), users: 0 };
  const shared = guard;
  shared.users += 1;
  let closed: Promise<void> | undefined;
  return { close: () => (closed ??= leave(shared)) };
}

function spawnGuard(): ChildProcess {
  const start = linuxProcessReader.readOne(process.pid)?.startTime ?? 0;
  const parameters = [`${leaseVariable}=${hostLease}.`, String(process.pid), String(start)];
  const child = spawn('/bin/sh', ['-c', guardScript, 'acp-launcher-orphan-guard', ...parameters], {
    // A session of its own: what the terminal sends to the host's group must not reach it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
  });
  // Without a shell there is no guard; an EPIPE says that it is gone already. Neither may hurt the host.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}

async function leave(shared: Guard): Promise<void> {
  shared.users -= 1;
  if (shared.users > 0) return;
  if (guard === shared) guard = undefined;
  const { child } = shared;
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.ref();
  child.stdin?.end(farewell);
  if (await settledWithin(exited, farewellTimeoutMs)) return;
  child.kill('SIGKILL');
  await settledWithin(exited, farewellTimeoutMs);
}
