import { existsSync } from 'node:fs';
import { execa } from 'execa';
import type { TrackedShell } from './tracked-shell.ts';

export interface Host {
  /** Keeps the host alive until it is cleared. */
  readonly stay: NodeJS.Timeout;
  readonly agents: readonly TrackedShell[];
  say(line: string): void;
  /** Starts one more agent with a second copy of the library. */
  startWithSecondCopy(): Promise<void>;
}

/** What the driver sees and does from outside. */
export interface Driver {
  send(signal: NodeJS.Signals): void;
  /** Waits for a line from the host, or for its end. */
  hears(line: string): Promise<void>;
}

export interface HostEnding {
  /** How many agents the host starts. @defaultValue 3 */
  readonly agents?: number;
  /** In the host, before its first agent. */
  readonly before?: (host: Host) => void;
  /** In the host, when its agents are ready. */
  readonly after?: (host: Host) => void | Promise<void>;
  /** In the driver, when the host is ready. */
  readonly drive?: (driver: Driver) => void | Promise<void>;
}

function runOut({ agents, stay }: Host): void {
  for (const agent of agents) agent.unref();
  clearInterval(stay);
}

function closeAgentsOnSigterm({ agents, stay }: Host): void {
  process.once('SIGTERM', () => {
    const closing = agents.map(({ tree }) => tree.terminate({ closeGraceMs: 100, terminateGraceMs: 1_000 }));
    void Promise.all(closing).then(() => {
      for (const { tree } of agents) tree.release();
      process.exitCode = 6;
      clearInterval(stay);
    });
  });
}

const exitWith5OnSigterm = () => process.once('SIGTERM', () => process.exit(5));
const sendSigterm = ({ send }: Driver) => send('SIGTERM');

/** Every way for a host to go that leaves time to run code. */
export const hostEndings = {
  'runs out of work': { after: runOut },
  'runs out of work with an exit code': {
    before: () => (process.exitCode = 7),
    after: runOut,
  },
  'process.exit(3)': { after: () => process.exit(3) },
  'an exception': {
    after: () => {
      setImmediate(() => {
        throw new Error('thrown on purpose');
      });
    },
  },
  'a rejection': {
    after: () => {
      void Promise.reject(new Error('rejected on purpose'));
    },
  },
  'an exception in an exit listener': {
    before: () => {
      process.on('exit', () => {
        throw new Error('thrown on purpose');
      });
    },
    after: () => {
      setImmediate(() => process.exit(0));
    },
  },
  SIGINT: { agents: 2, drive: ({ send }) => send('SIGINT') },
  SIGTERM: { drive: sendSigterm },
  SIGHUP: { agents: 2, drive: ({ send }) => send('SIGHUP') },
  'SIGTERM with a once listener of the host, older than ours': {
    before: exitWith5OnSigterm,
    drive: sendSigterm,
  },
  'SIGTERM with a once listener of the host, younger than ours': {
    after: () => void exitWith5OnSigterm(),
    drive: sendSigterm,
  },
  'SIGTERM with a once listener of the host that closes its agents, older than ours': {
    before: closeAgentsOnSigterm,
    drive: sendSigterm,
  },
  'SIGTERM with a once listener of the host that closes its agents, younger than ours': {
    after: closeAgentsOnSigterm,
    drive: sendSigterm,
  },
  'SIGHUP that the host survives, then SIGTERM': {
    agents: 2,
    after: ({ say, agents }) => {
      process.on('SIGHUP', () => {
        say(agents.every(({ pid }) => existsSync(`/proc/${pid}`)) ? 'still here' : 'agents lost');
      });
    },
    drive: async ({ send, hears }) => {
      send('SIGHUP');
      await hears('still here');
      send('SIGTERM');
    },
  },
  'SIGTERM with listeners of signal-exit, which execa installs': {
    agents: 2,
    before: () => {
      execa('sleep', ['1000'], { reject: false }).unref();
    },
    drive: sendSigterm,
  },
  // The second copy takes longer: the first one must not end the host meanwhile.
  'SIGTERM with two copies of this library': {
    agents: 1,
    after: ({ startWithSecondCopy }) => startWithSecondCopy(),
    drive: sendSigterm,
  },
  'a second SIGTERM while we are closing': {
    after: ({ agents, say }) => {
      for (const { stdout } of agents) stdout.on('data', (text) => say(String(text).trim()));
    },
    drive: async ({ send, hears }) => {
      send('SIGTERM');
      await hears('eof');
      send('SIGTERM');
    },
  },
  'process.exit(9) while we are closing': {
    after: ({ agents }) => {
      for (const { stdout } of agents)
        stdout.on('data', (text) => String(text) === 'eof\n' && process.exit(9));
      if (agents.length === 0) process.once('SIGTERM', () => process.exit(9));
    },
    drive: sendSigterm,
  },
} satisfies Record<string, HostEnding>;

export type HostEndingName = keyof typeof hostEndings;
