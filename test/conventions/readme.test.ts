import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/errors/error-codes.ts';
import { runCommand } from '../helpers/run-command.ts';

const root = join(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
let readme = '';
let consumer = '';

/** A project of somebody else's, which has the library installed. */
beforeAll(async () => {
  readme = await readFile(join(root, 'README.md'), 'utf8');
  consumer = await realpath(await mkdtemp(join(tmpdir(), 'acp-launcher-consumer-')));
  await mkdir(join(consumer, 'node_modules/@types'), { recursive: true });
  await symlink(root, join(consumer, 'node_modules/acp-launcher'));
  await symlink(join(root, 'node_modules/@types/node'), join(consumer, 'node_modules/@types/node'));
  await writeFile(join(consumer, 'package.json'), '{ "type": "module" }');
});

afterAll(() => rm(consumer, { recursive: true, force: true }));

function tsBlocks(): string[] {
  return [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code);
}

async function compile(files: readonly string[], ...flags: string[]): Promise<string> {
  const common = ['--strict', '--target', 'es2022', '--lib', 'es2023,esnext.disposable', '--types', 'node'];
  const { stdout } = await runCommand(process.execPath, [tsc, ...files, ...common, ...flags], {
    cwd: consumer,
  });
  return stdout;
}

describe('README', () => {
  it('names the two commands first', () => {
    expect([...readme.matchAll(/^```sh\n(.*)\n```/gm)].map(([, line]) => line)).toEqual([
      'npm ci && npm run demo',
      'npm ci && npm test',
    ]);
  });

  it('has an example of 12 lines that compiles and runs', async () => {
    const [example = ''] = tsBlocks();
    expect(example.trimEnd().split('\n')).toHaveLength(12);
    await writeFile(join(consumer, 'example.ts'), example);
    expect(await compile(['example.ts'], '--module', 'nodenext', '--outDir', 'out')).toBe('');
    const { code, stdout, stderr } = await runCommand(process.execPath, ['out/example.js'], {
      cwd: consumer,
    });
    expect(stderr).toBe('');
    expect(stdout).toContain("{ stopReason: 'end_turn' }");
    expect(stdout).toContain("{ status: 'fresh' }");
    expect(code).toBe(0);
  });

  it('has no example that does not compile', async () => {
    const given = 'declare function notifyUser(...values: unknown[]): void;\n';
    const blocks = tsBlocks().map((code, index) => ({ file: `block-${index}.ts`, code: given + code }));
    for (const { file, code } of blocks) await writeFile(join(consumer, file), code);
    const files = blocks.map(({ file }) => file);
    expect(await compile(files, '--module', 'nodenext', '--noEmit')).toBe('');
    expect(await compile(files, '--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit')).toBe('');
  });

  it('lists every error code with the meaning that the registry gives it', () => {
    const rows = [...readme.matchAll(/^\| `([a-z-]+)` +\| (.*?) +\| (yes|no) +\|$/gm)];
    const listed = rows.map(([, code, meaning, retryable]) => [code, meaning, retryable === 'yes']);
    const registered = Object.entries(errorCodes).map(([code, { meaning, retryable }]) => [
      code,
      meaning,
      retryable,
    ]);
    expect(listed).toEqual(registered);
  });

  it('links only to files that exist', async () => {
    for (const [, target = ''] of readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      await expect(readFile(join(root, target)), target).resolves.toBeDefined();
    }
  });
});

describe('the package', () => {
  it('can be loaded by require()', async () => {
    const script = `
      const { AgentLauncher, SessionManager } = require('acp-launcher');
      const { acproxyAgent } = require('acp-launcher/fixtures');
      console.log(typeof AgentLauncher, typeof SessionManager, typeof acproxyAgent, require('acp-launcher/package.json').name);
    `;
    const { stdout } = await runCommand(process.execPath, ['-e', script], { cwd: consumer });
    expect(stdout.trim()).toBe('function function function acp-launcher');
  });

  it('says its own version to agents', async () => {
    const { libraryVersion } = await import('../../src/wire/initialize.ts');
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(libraryVersion).toBe(version);
  });
});
