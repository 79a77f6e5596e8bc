import { accessSync, constants, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { EnvironmentVariables } from './environment-variables.ts';

/** How a path is recognised as something that can be run; replaced in tests. */
export type IsExecutable = (path: string) => boolean;

/**
 * Where a command's file is, on the `PATH` of this environment; `undefined` where it is nowhere. Relative
 * entries of the `PATH` are passed over: they would name files of the project that the agent works on.
 */
export function findExecutable(
  name: string,
  env: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
  isExecutable: IsExecutable = isExecutableFile,
): string | undefined {
  const path = platform === 'win32' ? win32 : posix;
  const variables = new EnvironmentVariables(platform, env);
  const suffixes = platform === 'win32' ? windowsSuffixes(name, variables.get('PATHEXT')) : [''];
  const directories = (variables.get('PATH') ?? '')
    .split(path.delimiter)
    .filter((directory) => path.isAbsolute(directory));
  const candidates = path.isAbsolute(name)
    ? [name]
    : directories.map((directory) => path.join(directory, name));
  return candidates.flatMap((candidate) => suffixes.map((suffix) => candidate + suffix)).find(isExecutable);
}

/** A file without one of these suffixes can't be run on Windows, even if it is there. */
function windowsSuffixes(name: string, pathExt = '.COM;.EXE;.BAT;.CMD'): string[] {
  const suffixes = pathExt.toLowerCase().split(';').filter(Boolean);
  return suffixes.some((suffix) => name.toLowerCase().endsWith(suffix)) ? [''] : suffixes;
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
