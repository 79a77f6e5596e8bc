import { spawn } from 'node:child_process';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { agentFolder, nodeFolder } from './cache.ts';
import type { CatalogAgent } from './catalog/catalog-agent.ts';
import { mcpServer } from './mcp-server.ts';

/** npm shares one cache and one network: more at a time is no faster on a small machine. */
const parallelInstalls = 2;
/** The largest agent is 460 MB; a slow network must not look like a hang. */
const installTimeoutMs = 15 * 60_000;

interface Installation {
  readonly folder: string;
  readonly packages: readonly string[];
}

/** Installs the agents, the Nodes that they need and an MCP server, where that has not been done already. */
export async function installAgents(
  agents: readonly CatalogAgent[],
  report: (line: string) => void,
): Promise<void> {
  const majors = new Set(agents.map((agent) => agent.node).filter((node) => node !== 'host'));
  const queue: Installation[] = [
    mcpServer,
    ...[...majors].map((major) => ({ folder: nodeFolder(major), packages: [`node@${major}`] })),
    ...agents.map((agent) => ({ folder: agentFolder(agent.name), packages: agent.packages })),
  ];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await install(next, report);
  };
  await Promise.all(Array.from({ length: parallelInstalls }, worker));
}

/** Written last: an installation that was interrupted is begun again from nothing. */
const markerOf = (folder: string) => path.join(folder, 'installed.json');

async function install({ folder, packages }: Installation, report: (line: string) => void): Promise<void> {
  const wanted = JSON.stringify(packages);
  const installed = await readFile(markerOf(folder), 'utf8').catch(() => undefined);
  if (installed === wanted) return;
  const startedAt = performance.now();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const logFile = `${folder}.install.log`;
  const { code, signal } = await runNpm(folder, packages, logFile);
  if (code !== 0) {
    const tail = (await readFile(logFile, 'utf8')).slice(-2_000);
    throw new Error(`npm could not install ${packages.join(' ')} (${code ?? signal}):\n${tail}`);
  }
  await writeFile(markerOf(folder), wanted);
  report(`installed ${packages.join(' ')} in ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

async function runNpm(folder: string, packages: readonly string[], logFile: string) {
  const log = await open(logFile, 'w');
  try {
    return await new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
      const npm = spawn(
        'npm',
        ['install', '--prefix', folder, '--no-fund', '--no-audit', '--loglevel=error', ...packages],
        { cwd: folder, stdio: ['ignore', log.fd, log.fd], timeout: installTimeoutMs, killSignal: 'SIGKILL' },
      );
      npm.on('error', reject);
      npm.on('exit', (code, signal) => resolve({ code, signal }));
    });
  } finally {
    await log.close();
  }
}
