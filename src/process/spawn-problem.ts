import type { ErrorCode } from '../errors/error-codes.ts';
import type { CommandLookup, FileState } from './resolve-command.ts';

/** What was found out about a process that could not be started. */
export interface SpawnFacts {
  readonly command: string;
  readonly cwd: string;
  /** The system's error code, such as `ENOENT`. */
  readonly systemCode: string | undefined;
  readonly systemMessage: string;
  /** `executable` stands for: may be entered; of a folder, `directory` is not used. */
  readonly cwdState: 'usable' | 'not-enterable' | 'not-directory' | 'missing';
  readonly lookup: CommandLookup;
  /** Whether the environment that the agent would get has a PATH. */
  readonly hasPath: boolean;
  /** What the command's `#!` line names, if it has one. */
  readonly interpreter?: { readonly name: string; readonly state: FileState } | undefined;
}

export interface SpawnProblem {
  readonly code: ErrorCode;
  readonly message: string;
  /** Where the registry's value for the code is not right. */
  readonly retryable?: boolean;
}

/** Codes that the system gives for a cwd, a command and an interpreter alike. */
const ambiguousCodes = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'];

const systemReasons: Readonly<Record<string, { readonly reason: string; readonly retryable: boolean }>> = {
  EAGAIN: { reason: 'the limit of processes is reached', retryable: true },
  ENOMEM: { reason: 'there is not enough memory', retryable: true },
  EMFILE: { reason: 'this process has too many open files', retryable: true },
  ENFILE: { reason: 'the system has too many open files', retryable: true },
  ETXTBSY: { reason: 'the command is being written by another process', retryable: true },
  E2BIG: { reason: 'its arguments and environment are too long for the system', retryable: false },
  ENAMETOOLONG: { reason: 'its name is too long for the system', retryable: false },
  ENOEXEC: { reason: 'it is not a program for this system', retryable: false },
  EPERM: { reason: 'the system does not permit it', retryable: false },
};

/** Says which of the things that a system error may mean it was. Never blames the command when the cwd is gone. */
export function spawnProblem(facts: SpawnFacts): SpawnProblem {
  const { command, cwd, systemCode, systemMessage, lookup, interpreter } = facts;
  const couldNot = `could not start ${command}`;
  const known = systemCode === undefined ? undefined : systemReasons[systemCode];
  if (known !== undefined) {
    const message = `${couldNot}: ${known.reason} (${systemCode ?? ''})`;
    return { code: 'spawn-failed', message, retryable: known.retryable };
  }
  if (systemCode === undefined || !ambiguousCodes.includes(systemCode)) {
    return { code: 'spawn-failed', message: `${couldNot}: ${systemMessage}`, retryable: false };
  }
  if (facts.cwdState === 'missing') {
    return { code: 'cwd-missing', message: `${couldNot}: the working directory ${cwd} does not exist` };
  }
  if (facts.cwdState === 'not-directory') {
    return { code: 'cwd-missing', message: `${couldNot}: the working directory ${cwd} is not a directory` };
  }
  if (facts.cwdState === 'not-enterable') {
    const message = `${couldNot}: the working directory ${cwd} may not be entered`;
    return { code: 'spawn-failed', message, retryable: false };
  }
  switch (lookup.kind) {
    case 'missing':
      return { code: 'command-missing', message: `${couldNot}: ${whereItIsMissing(facts)}` };
    case 'directory':
      return { code: 'command-not-executable', message: `${couldNot}: ${lookup.path} is a directory` };
    case 'not-executable':
      return { code: 'command-not-executable', message: `${couldNot}: ${lookup.path} may not be executed` };
    case 'found':
      return (
        interpreterProblem(facts, lookup.path, interpreter) ?? {
          // Nothing is wrong any more: it was put there, or replaced, at this very moment.
          code: 'spawn-failed',
          message: `${couldNot}: ${systemMessage}`,
        }
      );
  }
}

function whereItIsMissing({ command, hasPath }: SpawnFacts): string {
  if (/[\\/]/.test(command)) return 'there is no such file';
  if (!hasPath) return "it was not found, and the agent's environment has no PATH";
  return 'it was not found on the PATH that the agent would get';
}

function interpreterProblem(
  { command, systemCode }: SpawnFacts,
  file: string,
  interpreter: SpawnFacts['interpreter'],
): SpawnProblem | undefined {
  const couldNot = `could not start ${command}`;
  if (interpreter === undefined) {
    if (systemCode !== 'ENOENT') return undefined;
    const message = `${couldNot}: what should load ${file} does not exist: it was built for another system or C library`;
    return { code: 'interpreter-missing', message };
  }
  const { name, state } = interpreter;
  if (state === 'executable') return undefined;
  if (state !== 'missing') {
    const message = `${couldNot}: the interpreter ${name} of ${file} may not be executed`;
    return { code: 'command-not-executable', message };
  }
  const lineEnds = name.endsWith('\r') ? ' (the file has Windows line ends)' : '';
  const message = `${couldNot}: the interpreter ${name.trim()} of ${file} does not exist${lineEnds}`;
  return { code: 'interpreter-missing', message };
}
