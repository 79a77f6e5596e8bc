import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';

export interface CommandRequest {
  readonly command: string;
  readonly cwd: string;
  /** The environment that the agent gets, not the host's: its PATH decides. */
  readonly env: Readonly<Record<string, string>>;
}

export type FileState = 'executable' | 'not-executable' | 'directory' | 'missing';

export type CommandLookup =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'not-executable' | 'directory'; readonly path: string }
  | { readonly kind: 'missing' };

/** What the lookup needs to know about the machine; replaced in tests. */
export interface CommandLookupPlatform {
  readonly platform: NodeJS.Platform;
  readonly fileState: (file: string) => Promise<FileState>;
}

const thisMachine: CommandLookupPlatform = { platform: process.platform, fileState };

/** Where `execvp` looks when there is no PATH. */
const defaultPath = '/bin:/usr/bin';
const defaultExtensions = '.COM;.EXE;.BAT;.CMD';

/** Finds the file that a command stands for, as the operating system will when the agent is started. Runs nothing. */
export async function resolveCommand(
  request: CommandRequest,
  machine: CommandLookupPlatform = thisMachine,
): Promise<CommandLookup> {
  let refused: CommandLookup | undefined;
  for (const candidate of commandCandidates(request, machine.platform)) {
    const state = await machine.fileState(candidate);
    if (state === 'executable') return { kind: 'found', path: candidate };
    if (state !== 'missing') refused ??= { kind: state, path: candidate };
  }
  return refused ?? { kind: 'missing' };
}

/** The files that a command may stand for, in the order in which they are tried. */
export function commandCandidates(request: CommandRequest, platform: NodeJS.Platform): string[] {
  const { command, cwd, env } = request;
  if (command === '') return [];
  if (platform === 'win32') return windowsCandidates(request);
  if (command.includes('/')) return [path.posix.resolve(cwd, command)];
  // An empty entry is the working directory.
  return (env.PATH ?? defaultPath).split(':').map((folder) => path.posix.resolve(cwd, folder, command));
}

function windowsCandidates({ command, cwd, env }: CommandRequest): string[] {
  const { win32 } = path;
  const isPath = /[\\/:]/.test(command);
  const folders = isPath ? [cwd] : [cwd, ...(windowsVariable(env, 'PATH') ?? '').split(';').filter(Boolean)];
  const extensions = (windowsVariable(env, 'PATHEXT') ?? defaultExtensions)
    .toLowerCase()
    .split(';')
    .filter(Boolean);
  const hasExtension = extensions.includes(win32.extname(command).toLowerCase());
  const names = [...(hasExtension ? [command] : []), ...extensions.map((extension) => command + extension)];
  return folders.flatMap((folder) => names.map((name) => win32.resolve(cwd, folder, name)));
}

/** Windows does not tell `Path` from `PATH`. */
export function windowsVariable(env: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

export async function fileState(file: string): Promise<FileState> {
  try {
    const status = await stat(file);
    if (status.isDirectory()) return 'directory';
    // Reading a pipe or a device, to find out what is wrong with it, could take for ever.
    if (!status.isFile()) return 'not-executable';
  } catch (error) {
    // A folder on the way that may not be entered hides whether there is anything.
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'not-executable' : 'missing';
  }
  return access(file, constants.X_OK).then(
    () => 'executable',
    () => 'not-executable',
  );
}
