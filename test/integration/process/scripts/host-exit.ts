/**
 * Usage: host-exit ENDING. Runs a host that ends that way twice, with agents and without, and reports a
 * HostExitReport. (`host-exit ENDING host AGENTS FOLDER` is the host itself.)
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hostEndings, type Host, type HostEnding, type HostEndingName } from './host-endings.ts';
import { othersAlive, report, spawnTracked, type TrackedShell } from './tracked-shell.ts';

export interface HostExitReport {
  readonly withAgents: string;
  readonly withoutAgents: string;
  /** Which agents had time to save, by their kind. */
  readonly saved: readonly string[];
  readonly survivors: readonly string[];
}

/** What agents do when they are asked to leave; the file is what they save. */
const agentScripts: Record<string, (file: string) => string> = {
  'saves on SIGTERM': (file) => `trap 'echo saved > ${file}; exit 0' TERM; sleep 1000 & echo ready; wait`,
  'saves at the end of stdin': (file) =>
    `trap '' TERM; echo ready; cat > /dev/null; echo saved > ${file}; echo eof`,
  'ignores both': () => "trap '' TERM; echo ready; while :; do sleep 1; done",
  'second copy, saves for a second on SIGTERM': (file) =>
    `trap 'sleep 1; echo saved > ${file}; exit 0' TERM; sleep 1000 & echo ready; wait`,
};
const kinds = Object.keys(agentScripts);
const fileOf = (folder: string, kind: string) => join(folder, `${kinds.indexOf(kind)}`);

/** Exported for the second copy: a module that is imported under another name is another instance of everything. */
export async function startAgent(folder: string, kind: string): Promise<TrackedShell> {
  const agent = spawnTracked(agentScripts[kind]!(fileOf(folder, kind)));
  await agent.ready;
  return agent;
}

async function beHost(ending: HostEnding, count: number, folder: string): Promise<void> {
  const agents: TrackedShell[] = [];
  const host: Host = {
    stay: setInterval(() => undefined, 60_000),
    agents,
    say: (line) => process.stdout.write(`${line}\n`),
    async startWithSecondCopy() {
      if (count === 0) return;
      const copy = (await import(`${import.meta.url}?copy`)) as { startAgent: typeof startAgent };
      await copy.startAgent(folder, 'second copy, saves for a second on SIGTERM');
    },
  };
  ending.before?.(host);
  for (const kind of kinds.slice(0, count)) agents.push(await startAgent(folder, kind));
  if (ending.drive) {
    await ending.after?.(host);
    host.say('ready');
  } else {
    host.say('ready');
    await ending.after?.(host);
  }
}

/** Resolves to the host's exit code or signal. */
async function runHost(name: string, ending: HostEnding, count: number, folder: string): Promise<string> {
  const [node, script] = process.argv as [string, string];
  const host = spawn(node, [script, name, 'host', String(count), folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = new Promise<string>((resolve) => {
    host.once('exit', (code, signal) => resolve(String(code ?? signal)));
  });
  const heard = new Set<string>();
  const waiting = new Map<string, () => void>();
  createInterface(host.stdout).on('line', (line) => {
    heard.add(line);
    waiting.get(line)?.();
  });
  const hears = async (line: string) => {
    if (!heard.has(line))
      await Promise.race([exited, new Promise<void>((resolve) => waiting.set(line, resolve))]);
  };
  await hears('ready');
  await ending.drive?.({ send: (signal) => host.kill(signal), hears });
  return exited;
}

if (!import.meta.url.endsWith('?copy')) {
  const [name = '', role, count, agentFolder = ''] = process.argv.slice(2);
  const ending: HostEnding = hostEndings[name as HostEndingName];
  if (role === 'host') {
    await beHost(ending, Number(count), agentFolder);
  } else {
    const folder = mkdtempSync(join(tmpdir(), 'host-exit-'));
    const withoutAgents = await runHost(name, ending, 0, folder);
    const withAgents = await runHost(name, ending, ending.agents ?? 3, folder);
    report({
      withAgents,
      withoutAgents,
      saved: kinds.filter((kind) => existsSync(fileOf(folder, kind))),
      survivors: othersAlive(),
    } satisfies HostExitReport);
    process.exit(0);
  }
}
