import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));

/** Installs packages into a folder of their own, once; a devDependency on `node` would shadow it in every script. */
export async function installInCache(folder: string, packages: readonly string[]): Promise<string> {
  const path = join(cache, folder);
  const mark = join(path, `.installed-${packages.join('_').replaceAll('/', '-')}`);
  if (!existsSync(mark)) {
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'package.json'), '{ "private": true }\n');
    await npm(path, 'install', ...packages);
    await writeFile(mark, '');
  }
  return path;
}

/** The program of a Node version: the running one, or one from the npm package `node`. */
export async function nodeOf(major: 20 | 22 | 24): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const folder = await installInCache(`node-${major}`, [`node@${major}`]);
  const program = join(folder, 'node_modules', 'node', 'bin', 'node');
  const { stdout } = await run(program, ['--version']);
  if (!stdout.startsWith(`v${major}.`)) throw new Error(`${program} is ${stdout.trim()}`);
  return program;
}

/** An environment in which `node` is that program. */
export function withNode(program: string, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return { ...env, PATH: `${dirname(program)}:${env['PATH'] ?? ''}` };
}

export async function npm(cwd: string, ...args: string[]): Promise<string> {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const { stdout } = await run('npm', [...args, ...quiet], { cwd, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
