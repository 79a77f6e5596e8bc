import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { agentFolder, binFolder, nodeFolder } from './cache.ts';
import type { CatalogAgent } from './catalog/catalog-agent.ts';

/** How a run is kept apart from the machine. */
export interface Isolation {
  /** Whether it has loopback only, and sees (and leaves) no process but its own. */
  readonly isolated: boolean;
  wrap(command: string, args: readonly string[]): { command: string; args: string[] };
}

const namespaces = ['--net', '--pid', '--fork', '--mount-proc', '--kill-child'];

/** The shell stays as the namespace's first process: it reaps orphans, which Node does not. */
const inNamespaces = ['sh', '-c', 'ip link set lo up && "$@"; exit $?', 'sh'];

/** Finds out what this machine allows: as root, else as root of a user namespace, else nothing. */
export function detectIsolation(): Isolation {
  for (const options of [namespaces, ['--user', '--map-root-user', ...namespaces]]) {
    const prefix = [...options, ...inNamespaces];
    if (spawnSync('unshare', [...prefix, 'true'], { stdio: 'ignore' }).status === 0) {
      return {
        isolated: true,
        wrap: (command, args) => ({ command: 'unshare', args: [...prefix, command, ...args] }),
      };
    }
  }
  return { isolated: false, wrap: (command, args) => ({ command, args: [...args] }) };
}

/** The folders of one scenario's run, all new and empty. */
export interface Folders {
  readonly home: string;
  readonly project: string;
  readonly otherProject: string;
  readonly temporary: string;
}

export function makeFolders(root: string): Folders {
  const real = realpathSync(root);
  const folders = {
    home: join(real, 'home'),
    project: join(real, 'project'),
    otherProject: join(real, 'other-project'),
    temporary: join(real, 'tmp'),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder);
  return folders;
}

/** What an operator's service would have in its environment: the agent's command and its Node on PATH. */
export function hostEnvironment(agent: CatalogAgent, folders: Folders): Record<string, string> {
  const node = agent.node === 'host' ? dirname(process.execPath) : binFolder(nodeFolder(agent.node));
  return {
    PATH: [binFolder(agentFolder(agent.name)), node, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: folders.home,
    TMPDIR: folders.temporary,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHELL: '/bin/sh',
  };
}

/** Writes configuration files under the isolated HOME. */
export function writeHomeFiles(home: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), content);
  }
}
