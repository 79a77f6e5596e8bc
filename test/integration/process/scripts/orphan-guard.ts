/**
 * Usage: orphan-guard MODE. Reports what is alive when everything has settled; see orphan-guard.test.ts.
 * (`orphan-guard MODE host` is the host.)
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { linuxProcessReader } from '../../../../src/process/linux-process-reader.ts';
import { startOrphanGuard } from '../../../../src/process/orphan-guard.ts';
import { guardScript } from '../../../../src/process/orphan-guard-script.ts';
import { createLease, leaseVariable } from '../../../../src/process/terminate-agent.ts';
import { othersAlive, report, spawnTracked } from './tracked-shell.ts';

const followsNothing =
  "trap '' TERM; (trap - TERM; echo ready; exec sleep 1000); while :; do sleep 1000; done";
const guardName = 'acp-launcher-orphan-guard';
const guardsAlive = () => othersAlive().filter((line) => line.includes(guardName)).length;

/** Polls, because nothing reports to us any more; ends when the wanted state is there, or after 20 s. */
async function settles(done: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !done(); i += 1) await delay(50);
}

async function startHost(mode: string): Promise<ChildProcess> {
  const [node, script] = process.argv as [string, string];
  const host = spawn(node, [script, mode, 'host'], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(createInterface(host.stdout), 'line');
  return host;
}

async function beHost(mode: string): Promise<void> {
  if (mode !== 'unguarded') startOrphanGuard();
  const agents = [spawnTracked('echo ready; exec sleep 1000'), spawnTracked(followsNothing)];
  await Promise.all(agents.map(({ ready }) => ready));
  process.stdout.write('ready\n');
  for (const { unref } of agents) unref();
  // In this mode there is nothing left to do, unless the guard kept the host alive.
  if (mode !== 'runs-out') setInterval(() => undefined, 60_000);
}

/** Processes that the guard must leave alone: without a lease, and with one of another host. */
function spawnStrangers(): number[] {
  const env = { ...process.env, [leaseVariable]: createLease() };
  return [env, process.env].map((environment) => {
    return spawn('sleep', ['2000'], { detached: true, stdio: 'ignore', env: environment }).pid ?? 0;
  });
}

async function killHost(mode: string) {
  const strangers = spawnStrangers();
  const host = await startHost(mode);
  const exited = once(host, 'exit');
  host.kill('SIGKILL');
  const [, signal] = (await exited) as [null, string];
  const left = () => othersAlive().filter((line) => !strangers.includes(Number.parseInt(line, 10)));
  // Without a guard nothing will ever change.
  if (mode !== 'unguarded') await settles(() => left().length === 0);
  return { signal, left: left().length, strangers: othersAlive().length - left().length };
}

async function runOut() {
  const host = await startHost('runs-out');
  const [code] = (await once(host, 'exit')) as [number];
  await settles(() => othersAlive().length === 0);
  return { code, left: othersAlive().length };
}

/** A guard that loses its pipe although the host lives must not touch the host's agents. */
async function loseThePipe() {
  const { ready } = spawnTracked('echo ready; exec sleep 1000');
  await ready;
  const startTime = linuxProcessReader.readOne(process.pid)?.startTime;
  const parameters = [`${leaseVariable}=`, String(process.pid), String(startTime)];
  const guard = spawn('/bin/sh', ['-c', guardScript, 'guard', ...parameters], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.stdin.destroy();
  const [code] = (await once(guard, 'exit')) as [number];
  return { code, left: othersAlive().length };
}

async function shareOne() {
  const first = startOrphanGuard();
  const second = startOrphanGuard();
  await settles(() => guardsAlive() === 1);
  const counts = [guardsAlive()];
  await first.close();
  await first.close();
  counts.push(guardsAlive());
  await second.close();
  counts.push(guardsAlive());
  const third = startOrphanGuard();
  await settles(() => guardsAlive() === 1);
  counts.push(guardsAlive());
  await third.close();
  return { counts, left: othersAlive().length };
}

const [mode = '', role] = process.argv.slice(2);
if (role === 'host') {
  await beHost(mode);
} else {
  const modes: Record<string, () => Promise<unknown>> = {
    guarded: () => killHost('guarded'),
    unguarded: () => killHost('unguarded'),
    'runs-out': runOut,
    'lost-pipe': loseThePipe,
    shared: shareOne,
  };
  report(await modes[mode]?.());
  process.exit(0);
}
