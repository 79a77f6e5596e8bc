import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Runs test scripts in a pid namespace of their own: whatever a script signals by mistake, it can't reach anything
 * outside, and whatever it leaves behind dies with the namespace.
 */
export interface NamespaceRun {
  /** A TypeScript file; it is bundled first, so it may import from `src`. */
  readonly script: string;
  readonly args?: readonly string[];
  /** Makes the script itself process 1, as in a container without an init. By default a shell is. */
  readonly asInit?: boolean;
  /** @defaultValue 28_000: less than a test may take, so that it fails with the script's output. */
  readonly timeoutMs?: number;
}

export interface NamespaceResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Set to a value of its own in a run that has no namespace: all it starts can be told from the rest by it. */
const runVariable = 'ACP_LAUNCHER_TEST_RUN';

const unshareArguments = ['--pid', '--fork', '--mount-proc', '--kill-child'];

/** How to enter a namespace here: as root, else as a mapped root, else (`undefined`) not at all. */
const unshare = [unshareArguments, ['--map-root-user', ...unshareArguments]].find(
  (candidate) => spawnSync('unshare', [...candidate, 'true'], { stdio: 'ignore' }).status === 0,
);

/** Whether scripts get a namespace of their own; without one they run directly. */
export const hasNamespaces = unshare !== undefined;

// `exit` keeps the shell from being replaced by its last command: it stays, as an init that reaps orphans.
const init = ['sh', '-c', '"$@"; exit $?', 'init'];

export async function runInNamespace(run: NamespaceRun): Promise<NamespaceResult> {
  const { script, args = [], asInit = false, timeoutMs = 28_000 } = run;
  const folder = await mkdtemp(join(tmpdir(), 'acp-launcher-test-'));
  try {
    const bundle = join(folder, `${basename(script, '.ts')}.mjs`);
    await bundleScript(script, bundle);
    const command = [process.execPath, '--enable-source-maps', bundle, ...args];
    const env = { ...process.env, TMPDIR: folder };
    if (!unshare) return await collect(command, { ...env, [runVariable]: folder }, timeoutMs);
    return await collect(['unshare', ...unshare, ...(asInit ? [] : init), ...command], env, timeoutMs);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As {@link runInNamespace}, and parses the last line of stdout; fails with the script's stderr if it failed. */
export async function reportFromNamespace<T>(run: NamespaceRun): Promise<T> {
  const { code, signal, stdout, stderr } = await runInNamespace(run);
  const report = stdout.trim().split('\n').at(-1) ?? '';
  if (code !== 0 || report === '') {
    throw new Error(
      `${basename(run.script)} ${run.args?.join(' ') ?? ''}: ${code ?? signal}\n${stdout}\n${stderr}`,
    );
  }
  return JSON.parse(report) as T;
}

/** Makes one plain module of a script and all that it imports: Node 20 runs no TypeScript. */
export async function bundleScript(script: string, bundle: string): Promise<void> {
  await build({
    entryPoints: [script],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: 'inline',
    logLevel: 'silent',
    // Dependencies that are CommonJS inside call require().
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
}

function collect(
  [command, ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<NamespaceResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command ?? '', args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    // unshare takes the whole namespace with it.
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr });
    });
  });
}
