import { posix, win32 } from 'node:path';

/** Programs that install what they run, and the first argument with which they do; `''` stands for any. */
const packageRunners: Readonly<Record<string, readonly string[]>> = {
  npx: [''],
  npm: ['exec', 'x'],
  pnpx: [''],
  pnpm: ['dlx', 'exec'],
  yarn: ['dlx'],
  bunx: [''],
  bun: ['x'],
  uvx: [''],
  uv: ['run', 'tool', 'x'],
  pipx: ['run'],
};

/** Programs that run the program named by an argument of theirs. */
const interpreters: readonly string[] = ['node', 'tsx', 'deno', 'python', 'python3', 'sh', 'bash'];

/** The command without its folder and its file's suffix. */
export function commandName(command: string): string {
  const { base, ext } = win32.parse(posix.basename(command));
  return /^\.(exe|cmd|bat|com|ps1|sh|[cm]?[jt]s|py)$/i.test(ext) ? base.slice(0, -ext.length) : base;
}

/** Whether the command may have to download something before it speaks, and needs a longer start. */
export function isPackageRunner(command: string, args: readonly string[]): boolean {
  const name = commandName(command);
  const verbs = Object.hasOwn(packageRunners, name) ? (packageRunners[name] ?? []) : [];
  return verbs.includes('') || verbs.includes(args[0] ?? '-');
}

/**
 * A name for an agent that was given none. Of `node dist/my-agent.js` it is `my-agent`, of
 * `npx -y @scope/my-agent@1.2.0` likewise: a new version of the same agent keeps its name.
 */
export function agentIdOf(command: string, args: readonly string[]): string {
  const name = commandName(command);
  const runs = interpreters.includes(name) || Object.hasOwn(packageRunners, name);
  const verbs = packageRunners[name] ?? [];
  const program = runs
    ? args.find((argument) => !argument.startsWith('-') && !verbs.includes(argument))
    : undefined;
  return program === undefined ? name : commandName(program.replace(/(?<=.)@[^/]*$/, ''));
}
