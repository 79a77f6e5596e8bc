import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CreateTerminalRequest } from '@agentclientprotocol/sdk';
import { execa } from 'execa';
import { checkOptions } from '../internal/check-input.ts';
import { withDeadline } from '../internal/deadline.ts';
import { createLease, leaseVariable } from '../process/terminate-agent.ts';
import type { AgentClient } from './agent-client.ts';
import { cancelledRequest, clientErrorCodes, ClientRequestError } from './client-request-error.ts';
import { toFileRequestError } from './file-request-error.ts';
import { LocalTerminal } from './local-terminal.ts';
import { canonicalRoots, locateInJail } from './path-jail.ts';
import { checkVariables, terminalEnvironment, type EnvironmentVariables } from './terminal-environment.ts';
import { isCommandLine, readTerminalCommand, type TerminalCommand } from './terminal-request.ts';
import { TerminalSessions } from './terminal-sessions.ts';

export interface LocalTerminalsOptions {
  /** Where commands may be started, as absolute paths; the first is the default working directory. */
  readonly roots: readonly string[];
  /** The most output that is kept for one terminal, in bytes; an agent may ask for less. @defaultValue 1 MiB */
  readonly maxOutputBytes?: number;
  /** Variables for all commands, over the few that the host hands down; `undefined` takes one away. */
  readonly env?: EnvironmentVariables;
  /** The most terminals of one session that are not released. @defaultValue 32 */
  readonly maxTerminals?: number;
}

type TerminalHandlers =
  | 'createTerminal'
  | 'terminalOutput'
  | 'waitForTerminalExit'
  | 'killTerminal'
  | 'releaseTerminal'
  | 'closeSession';

/** The handlers of {@link localTerminals}. */
export type LocalTerminals = Required<Pick<AgentClient, TerminalHandlers>>;

/**
 * Serves `terminal/*` with processes of this machine. A command runs without a terminal device and without stdin; of
 * the host's environment it sees `PATH`, `HOME`, the language and the like, and nothing else. It runs without a shell,
 * but for a `command` that holds a whole command line (blanks or shell syntax, no `args`, no file of that name), as
 * many agents send it. The end of a terminal is the end of its whole process tree: `terminal/kill`,
 * `terminal/release` and the end of the session, which needs the `closeSession` handler to stay in place.
 *
 * The roots are where commands start, not a jail: a command goes where its user may go.
 *
 * @throws AcpLauncherError `invalid-config` naming the option; also where `roots` is empty or one of them is not an
 * absolute path of an existing directory.
 */
export function localTerminals(options: LocalTerminalsOptions): LocalTerminals {
  checkOptions(options, { roots: 'list', maxOutputBytes: 'amount', env: 'object', maxTerminals: 'amount' });
  checkVariables(options.env);
  const { maxOutputBytes = 1024 * 1024, env = {}, maxTerminals = 32 } = options;
  const roots = canonicalRoots(options.roots);
  const sessions = new TerminalSessions(maxTerminals);

  return {
    async createTerminal(params, { signal }) {
      const command = readTerminalCommand(params);
      const terminalId = await sessions.add(params.sessionId, async (assertOpen) => {
        const cwd = await workingDirectory(roots, params.cwd);
        const shell = isCommandLine(command) && !(await isFile(resolve(cwd, command.command)));
        assertOpen();
        if (signal.aborted) throw cancelledRequest();
        const limit = Math.min(command.outputByteLimit ?? maxOutputBytes, maxOutputBytes);
        return await spawnTerminal(command, { cwd, shell, env }, limit);
      });
      return { terminalId };
    },
    terminalOutput({ sessionId, terminalId }) {
      const terminal = sessions.get(sessionId, terminalId);
      return { ...terminal.readOutput(), exitStatus: terminal.exitStatus ?? null };
    },
    async waitForTerminalExit({ sessionId, terminalId }, { signal }) {
      const { exited } = sessions.get(sessionId, terminalId);
      return await withDeadline(exited, { signal, onTimeout: cancelledRequest, onAbort: cancelledRequest });
    },
    async killTerminal({ sessionId, terminalId }) {
      assertGone(await sessions.get(sessionId, terminalId).kill());
      return {};
    },
    async releaseTerminal({ sessionId, terminalId }) {
      assertGone(await sessions.release(sessionId, terminalId));
      return {};
    },
    closeSession: (sessionId) => sessions.close(sessionId),
  };
}

interface SpawnPlace {
  readonly cwd: string;
  readonly shell: boolean;
  readonly env: EnvironmentVariables;
}

async function spawnTerminal(
  command: TerminalCommand,
  place: SpawnPlace,
  limitBytes: number,
): Promise<LocalTerminal> {
  const lease = createLease();
  const subprocess = execa(command.command, command.args, {
    cwd: place.cwd,
    shell: place.shell,
    env: terminalEnvironment(process.env, place.env, command.env, { [leaseVariable]: lease }),
    extendEnv: false,
    stdin: 'ignore',
    buffer: false,
    reject: false,
    // A process group of its own, or its signals would reach the host.
    detached: true,
  });
  const { pid } = subprocess;
  if (pid === undefined) throw spawnError(command.command, (await subprocess).code);
  return new LocalTerminal(Object.assign(subprocess, { pid }), lease, limitBytes);
}

async function workingDirectory(
  roots: readonly [string, ...string[]],
  cwd: CreateTerminalRequest['cwd'],
): Promise<string> {
  if (cwd === undefined || cwd === null) return roots[0];
  const { root, directories, name } = await locateInJail(roots, cwd);
  const path = join(root, ...directories, name);
  const stats = await stat(path).catch((error: unknown) => {
    throw toFileRequestError(error, cwd);
  });
  if (stats.isDirectory()) return path;
  throw new ClientRequestError(clientErrorCodes.invalidParams, `the cwd is not a directory: ${cwd}`);
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}

const spawnFailures = new Map<unknown, string>([
  ['ENOENT', 'was not found'],
  ['EACCES', 'may not be run'],
  ['E2BIG', 'has too many or too long arguments'],
]);

function spawnError(command: string, code: string | undefined): ClientRequestError {
  const meaning = spawnFailures.get(code) ?? `could not be started (${code ?? 'unknown error'})`;
  const name = command.length > 200 ? `${command.slice(0, 200)}…` : command;
  return new ClientRequestError(clientErrorCodes.internal, `the command ${name} ${meaning}`);
}

function assertGone(survivors: readonly number[]): void {
  if (survivors.length === 0) return;
  const message = `${survivors.length} processes of the terminal survived every signal`;
  throw new ClientRequestError(clientErrorCodes.internal, message);
}
