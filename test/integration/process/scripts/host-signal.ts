/**
 * Usage: host-signal AGENT MODE. Runs a host with agents that a launcher started, sends it SIGTERM when it is ready,
 * and reports a HostSignalReport. (`host-signal AGENT MODE RECORD` is the host itself.)
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AgentLauncher } from '../../../../src/agent-launcher.ts';
import type { AgentSession } from '../../../../src/agent-session.ts';
import type { FaultyAgentOptions } from '../../../../fixtures/faults/fault.ts';
import type { LauncherLimits } from '../../../../src/config/launcher-options.ts';
import type { PromptTurn } from '../../../../src/session/prompt-turn.ts';
import { othersAlive, report } from './tracked-shell.ts';

export interface HostSignalReport {
  /** The host's exit code or signal. */
  readonly end: string;
  /** What the host said, besides `ready`. */
  readonly said: readonly string[];
  /** The methods that the agent received. */
  readonly received: readonly string[];
  readonly survivors: readonly string[];
}

interface Mode {
  readonly fault: string;
  readonly options?: FaultyAgentOptions;
  readonly limits?: Partial<LauncherLimits>;
  /** In the host, with the first session open. */
  readonly then: (session: AgentSession, launch: () => Promise<AgentSession>) => Promise<void> | void;
}

const say = (line: string) => void process.stdout.write(`${line}\n`);
const sayExit = (session: AgentSession) =>
  session.connection.on('agent-exit', ({ exitCode, exitSignal }) => say(`agent: ${exitCode ?? exitSignal}`));
const sayFailure = ({ result }: PromptTurn) =>
  void result.catch((error: unknown) => say(`turn: ${(error as { code: string }).code}`));

export const hostSignalModes = {
  /** Longer than the default graces together. */
  'an agent that has been given more time than the default': {
    fault: 'slow-exit',
    options: { delayMs: 4_000 },
    limits: { closeGraceMs: 60_000 },
    then: (session) => void sayExit(session),
  },
  'an agent in the middle of a turn': {
    fault: 'closes-sessions',
    then: async (session) => {
      sayExit(session);
      const begun = new Promise((resolve) => session.on('update', resolve));
      sayFailure(session.prompt('/slow 60000'));
      await begun;
    },
  },
  'an agent that answers neither a cancel nor the end': {
    fault: 'hangs-at',
    options: { at: 'session/prompt' },
    limits: { closeSessionTimeoutMs: 200, closeGraceMs: 200, terminateGraceMs: 200 },
    then: (session) => {
      sayExit(session);
      sayFailure(session.prompt('never answered'));
    },
  },
  /** What a busy service without a signal handler of its own does. */
  'a host that launches another agent whenever one ends': {
    fault: 'ignores-eof',
    limits: { closeGraceMs: 100 },
    then: (session, launch) => {
      const again = async (ended: AgentSession): Promise<void> => {
        await ended.closed;
        await again(await launch());
      };
      again(session).catch((error: unknown) => say(String(error)));
    },
  },
} satisfies Record<string, Mode>;

export type HostSignalMode = keyof typeof hostSignalModes;

async function beHost(agent: string, mode: Mode, record: string): Promise<void> {
  const launcher = new AgentLauncher({
    command: process.execPath,
    args: [agent, mode.fault, JSON.stringify({ ...mode.options, record })],
    ...mode.limits,
  });
  const launch = () => launcher.launch('project', tmpdir(), undefined, {}, {});
  await mode.then(await launch(), launch);
  say('ready');
}

async function drive(agent: string, name: string): Promise<HostSignalReport> {
  const record = join(mkdtempSync(join(tmpdir(), 'host-signal-')), 'record.ndjson');
  const [node, script] = process.argv as [string, string];
  const host = spawn(node, [script, agent, name, record], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise<string>((resolve) => {
    host.once('close', (code, signal) => resolve(String(code ?? signal)));
  });
  const said: string[] = [];
  createInterface(host.stdout).on('line', (line) => {
    if (line === 'ready') host.kill('SIGTERM');
    else said.push(line);
  });
  const end = await exited;
  const lines = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : [];
  const received = lines.map((line) => (JSON.parse(line) as { method?: string }).method ?? 'response');
  return { end, said, received, survivors: othersAlive() };
}

const [agent = '', name = '', record] = process.argv.slice(2);
if (record === undefined) report(await drive(agent, name));
else await beHost(agent, hostSignalModes[name as HostSignalMode], record);
