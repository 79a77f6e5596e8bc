import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  resolveCommand,
  type CommandLookupPlatform,
  type CommandRequest,
  fileState,
} from './resolve-command.ts';

export interface WindowsMachine extends CommandLookupPlatform {
  readonly readText: (file: string) => Promise<string>;
}

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

const thisMachine: WindowsMachine = {
  platform: 'win32',
  fileState,
  readText: (file) => readFile(file, 'utf8'),
};

/**
 * On Windows, npm installs commands as `.cmd` files, which only a shell can run. One that starts a script with Node
 * is replaced by just that: no shell in between that would have to be quoted for and killed. All else is left alone;
 * execa quotes for `cmd.exe` where it must.
 */
export async function windowsCommandLine(
  request: CommandRequest & { readonly args: readonly string[] },
  machine: WindowsMachine = thisMachine,
): Promise<CommandLine> {
  const { command, args } = request;
  const found = await resolveCommand(request, machine);
  if (found.kind !== 'found' || !/\.(?:cmd|bat)$/i.test(found.path)) return { command, args };
  const script = shimScript(await machine.readText(found.path).catch(() => ''));
  if (script === undefined) return { command, args };
  const folder = path.win32.dirname(found.path);
  const nodeBeside = path.win32.join(folder, 'node.exe');
  const hasNode = (await machine.fileState(nodeBeside)) === 'executable';
  return { command: hasNode ? nodeBeside : 'node', args: [path.win32.join(folder, script), ...args] };
}

/** The script that an npm, pnpm or yarn shim starts, relative to the shim's folder; nothing for other batch files. */
export function shimScript(shim: string): string | undefined {
  const direct = /"%(?:~dp0|dp0%)\\?([^"%]+\.[cm]?js)"\s+%\*/i.exec(shim)?.[1];
  if (direct !== undefined) return direct;
  // npx.cmd and npm.cmd put the script into a variable first.
  const variable = /"%(\w+)%"\s+%\*/.exec(shim)?.[1];
  if (variable === undefined) return undefined;
  return new RegExp(`SET "${variable}=%~dp0\\\\?([^"%]+\\.[cm]?js)"`, 'i').exec(shim)?.[1];
}
