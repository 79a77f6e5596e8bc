import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import path from 'node:path';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { Redactor } from '../errors/redactor.ts';
import { type CommandRequest, fileState, resolveCommand } from './resolve-command.ts';
import { settledWithin } from '../internal/deadline.ts';
import { type SpawnFacts, type SpawnProblem, spawnProblem } from './spawn-problem.ts';

export interface FailedSpawn extends CommandRequest {
  readonly redactor: Redactor;
}

/** A file system that does not answer must not hold the error back. */
const longestLookMs = 2_000;

/** Makes the error for a process that could not be started. The system's own names the command, whatever is missing. */
export async function diagnoseSpawn(request: FailedSpawn, error: unknown): Promise<AcpLauncherError> {
  const { command, redactor } = request;
  const systemError = asSystemError(error);
  const systemMessage = error instanceof Error ? error.message : String(error);
  const looks = look(request);
  const { code, message, retryable } = (await settledWithin(looks, longestLookMs))
    ? spawnProblem({ ...(await looks), systemCode: systemError?.code, systemMessage })
    : ({ code: 'spawn-failed', message: `could not start ${command}: ${systemMessage}` } as SpawnProblem);
  return new AcpLauncherError(code, redactor.redact(message), {
    phase: 'spawn',
    command: redactor.redact(command),
    retryable,
    cause: systemError && plainCause(systemError, redactor),
  });
}

async function look(request: FailedSpawn): Promise<Omit<SpawnFacts, 'systemCode' | 'systemMessage'>> {
  const { command, cwd, env } = request;
  const lookup = await resolveCommand(request);
  return {
    command,
    cwd,
    cwdState: await cwdState(cwd),
    lookup,
    hasPath: env.PATH !== undefined,
    interpreter: lookup.kind === 'found' ? await interpreterOf(lookup.path, cwd) : undefined,
  };
}

/** Node's own error lists all arguments (`spawnargs`), a key that somebody passes there included. */
function plainCause(error: NodeJS.ErrnoException, redactor: Redactor): Error {
  const { code, errno, syscall } = error;
  return Object.assign(new Error(redactor.redact(error.message)), { code, errno, syscall });
}

function asSystemError(error: unknown): (NodeJS.ErrnoException & { code: string }) | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code !== undefined && syscall !== undefined ? Object.assign(error, { code }) : undefined;
}

async function cwdState(cwd: string): Promise<SpawnFacts['cwdState']> {
  try {
    if (!(await stat(cwd)).isDirectory()) return 'not-directory';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'not-enterable' : 'missing';
  }
  return access(cwd, constants.X_OK).then(
    () => 'usable',
    () => 'not-enterable',
  );
}

/** The system reads no more of a `#!` line. */
const longestInterpreterLine = 256;
/** The system follows no more interpreters that are scripts themselves. */
const deepestInterpreter = 4;

/** The interpreter that a script needs, or the one further down that is missing. */
async function interpreterOf(file: string, cwd: string, depth = 1): Promise<SpawnFacts['interpreter']> {
  const name = interpreterName(await firstBytes(file));
  if (name === undefined) return undefined;
  const interpreter = path.resolve(cwd, name);
  const state = await fileState(interpreter);
  const next =
    state === 'executable' && depth < deepestInterpreter
      ? await interpreterOf(interpreter, cwd, depth + 1)
      : undefined;
  return next !== undefined && next.state !== 'executable' ? next : { name, state };
}

/** What stands after `#!`, a carriage return included: the system takes it for a part of the name. */
export function interpreterName(beginning: string): string | undefined {
  return /^#![ \t]*([^ \t\n]+)/.exec(beginning)?.[1];
}

async function firstBytes(file: string): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(longestInterpreterLine),
      0,
      longestInterpreterLine,
    );
    return buffer.toString('latin1', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await handle.close();
  }
}

/**
 * Says what an exit means that was in truth a failed start: a shell, `env` or a wrapper that did not find what it
 * should run. Nothing for other exits.
 */
export function explainExit(exit: {
  readonly exitCode: number | null;
  readonly stderr: string;
}): string | undefined {
  const { exitCode, stderr } = exit;
  if (exitCode === 0 || exitCode === null) return undefined;
  if (exitCode === 126) return 'a program that it starts may not be executed';
  const program = lastGroup(stderr, notStarted);
  if (exitCode !== 127) return program === undefined ? undefined : `${program} was not found`;
  return `${program ?? lastGroup(stderr, notFound) ?? 'a program that it starts'} was not found on the agent's PATH`;
}

/** What `env`, a shell that is given a script, and Node say when a program can't be started. */
const notStarted =
  /\benv: [‘'"]?([^\s‘’'":]+)[’'"]?: No such file or directory|cannot open (\S+): No such file|\bspawn (\S+) ENOENT\b/g;
/** What shells say of a command; as likely of any other file, unless the exit code says that it was a command. */
const notFound = /([^\s:‘’'"]+)[’'"]?: (?:(?:command )?not found|No such file or directory)/g;

function lastGroup(text: string, pattern: RegExp): string | undefined {
  const groups = [...text.matchAll(pattern)].at(-1)?.slice(1);
  return groups?.find(Boolean);
}
