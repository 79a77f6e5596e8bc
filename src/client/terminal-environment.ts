import { invalidConfig } from '../errors/invalid-config.ts';

/** Variables by name; `undefined` takes one away. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** @throws AcpLauncherError `invalid-config` for a value that is no text. */
export function checkVariables(variables: EnvironmentVariables = {}): void {
  for (const [name, value] of Object.entries<unknown>(variables))
    if (value !== undefined && typeof value !== 'string')
      throw invalidConfig(`env.${name}`, 'must be a text');
}

/** What a command needs to find programs, its user's files, a language and a place for temporary files. */
const inheritedNames = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TERM', 'TMPDIR', 'TZ'],
  ...[
    'APPDATA',
    'COMSPEC',
    'LOCALAPPDATA',
    'PATHEXT',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERPROFILE',
    'WINDIR',
  ],
]);

/**
 * The environment of a command: a few harmless variables of the host, then each of `layers` over it. Nothing else of
 * the host is inherited, so that its secrets don't show in the output of a command.
 */
export function terminalEnvironment(
  host: EnvironmentVariables,
  ...layers: readonly EnvironmentVariables[]
): Record<string, string> {
  const inherited = Object.entries(host).filter(([name]) => {
    const upperCase = name.toUpperCase();
    return inheritedNames.has(upperCase) || upperCase.startsWith('LC_');
  });
  const merged = new Map([...inherited, ...layers.flatMap((layer) => Object.entries(layer))]);
  return Object.fromEntries([...merged].filter((entry): entry is [string, string] => entry[1] !== undefined));
}
