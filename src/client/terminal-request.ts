import { clientErrorCodes, ClientRequestError } from './client-request-error.ts';

/** What is to be run, once it is known to be well-formed. */
export interface TerminalCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly outputByteLimit: number | undefined;
}

/**
 * Reads a `terminal/create` request from whatever the agent sent, all but its `cwd`.
 *
 * @throws ClientRequestError naming the field
 */
export function readTerminalCommand(params: object): TerminalCommand {
  const { command, args, env, outputByteLimit } = params as Record<string, unknown>;
  if (!isText(command) || command === '') throw invalid('command must be text');
  return {
    command,
    args: readList(args, 'args', (arg, field) => {
      if (!isText(arg)) throw invalid(`${field} must be text`);
      return arg;
    }),
    env: Object.fromEntries(readList(env, 'env', readVariable)),
    outputByteLimit: readLimit(outputByteLimit),
  };
}

/**
 * Whether the command is for a shell to read. ACP has the program in `command` and its arguments in `args`; many
 * agents put a whole command line into `command` and send no arguments.
 */
export function isCommandLine({ command, args }: Pick<TerminalCommand, 'command' | 'args'>): boolean {
  return args.length === 0 && /[\s|&;<>()$`]/.test(command);
}

function readList<T>(value: unknown, field: string, read: (item: unknown, field: string) => T): T[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(`${field} must be a list`);
  return value.map((item, index) => read(item, `${field}[${index}]`));
}

function readVariable(value: unknown, field: string): [name: string, value: string] {
  const variable = (typeof value === 'object' ? value : undefined) as
    { name?: unknown; value?: unknown } | null | undefined;
  const name = variable?.name;
  if (!isText(name) || name === '' || name.includes('=')) throw invalid(`${field}.name must name a variable`);
  if (!isText(variable?.value)) throw invalid(`${field}.value must be text`);
  return [name, variable.value];
}

function readLimit(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isInteger(value) && (value as number) >= 0) return value as number;
  throw invalid('outputByteLimit must be a whole number from 0');
}

/** NUL bytes end an argument or a variable for the operating system. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function invalid(message: string): ClientRequestError {
  return new ClientRequestError(clientErrorCodes.invalidParams, message);
}
