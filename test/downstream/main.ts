// Packs the library, installs it into an empty project as a user would, and runs that project's own test suite
// against the bundled agents, on each supported Node version.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeOf, npm, withNode } from '../helpers/node-version.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
// Outside the repository, where nothing of it could be found by walking up.
const project = await realpath(await mkdtemp(join(tmpdir(), 'acp-launcher-downstream-')));
let failed = 0;
try {
  // The scripts are skipped: the caller has built, and `prepack` would take the build away from other runs.
  const packed = JSON.parse(
    await npm(root, 'pack', '--ignore-scripts', '--json', '--pack-destination', project),
  ) as { filename: string; files: unknown[]; size: number }[];
  const [tarball] = packed;
  if (!tarball) throw new Error('npm pack made nothing');
  console.log(`${tarball.filename}: ${tarball.files.length} files, ${Math.round(tarball.size / 1024)} KB`);

  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  await npm(project, 'install', `./${tarball.filename}`, `vitest@${devDependencies['vitest'] ?? ''}`);
  await cp(join(root, 'test/downstream/project'), project, { recursive: true });

  for (const major of [20, 22, 24] as const) {
    const node = await nodeOf(major);
    const env = withNode(node);
    const { stdout } = await promisify(execFile)(
      join(project, 'node_modules/.bin/acproxy'),
      ['smoke', '-q', 'hello'],
      {
        cwd: project,
        env,
      },
    );
    const suite = spawn(node, ['node_modules/vitest/vitest.mjs', 'run'], {
      cwd: project,
      env,
      stdio: 'inherit',
    });
    const [code] = (await once(suite, 'exit')) as [number | null];
    const passed = code === 0 && stdout.includes('smoke test passed');
    console.log(`Node ${major}: ${passed ? 'passed' : 'FAILED'}`);
    if (!passed) failed += 1;
  }
} finally {
  await rm(project, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
