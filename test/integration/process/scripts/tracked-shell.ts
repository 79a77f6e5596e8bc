import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import {
  createLease,
  leaseVariable,
  trackTree,
  type TrackedTree,
} from '../../../../src/process/terminate-agent.ts';

export interface TrackedShell {
  readonly pid: number;
  readonly tree: TrackedTree;
  readonly exited: Promise<unknown>;
  readonly stdout: Readable;
  /** Lets the host end although the process lives. */
  unref(): void;
  /** The first line on stdout, which a scenario's process prints when everything is in place. */
  readonly ready: Promise<unknown>;
}

/** Spawns `sh -c script` the way the launcher spawns an agent, and tracks it. */
export function spawnTracked(script: string): TrackedShell {
  const lease = createLease();
  const child = spawn('/bin/sh', ['-c', script], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, [leaseVariable]: lease },
  });
  child.stdin.on('error', () => undefined);
  const pid = child.pid ?? 0;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const tree = trackTree({
    pid,
    lease,
    exited,
    endInput: () => child.stdin.end(),
    destroyInput: () => child.stdin.destroy(),
  });
  child.once('exit', () => tree.noteExit());
  const unref = () => {
    child.unref();
    for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.unref();
  };
  return {
    pid,
    tree,
    exited,
    stdout: child.stdout,
    unref,
    ready: once(createInterface(child.stdout), 'line'),
  };
}

/**
 * All living processes of this namespace but init and ourselves, found without any of the code under test. Where
 * there is no namespace: those of this run, as far as they have kept their environment.
 */
export function othersAlive(): string[] {
  const run = process.env['ACP_LAUNCHER_TEST_RUN'] ?? '';
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || name === '1' || name === String(process.pid)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const state = stat.slice(stat.lastIndexOf(')') + 2)[0];
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
      const isOurs = readFileSync(`/proc/${name}/environ`, 'latin1').includes(run);
      return state === 'Z' || state === 'X' || !isOurs ? [] : [`${name} ${state} ${command}`];
    } catch {
      return [];
    }
  });
}

export function report(result: unknown): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
