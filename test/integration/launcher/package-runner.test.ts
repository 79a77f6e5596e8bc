import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import { AgentLauncher, type LauncherOptions } from '../../../src/index.ts';
import { failureOf } from '../../helpers/agent-runs.ts';
import { expectNoLeftovers } from '../../helpers/leftovers.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

expectNoLeftovers();
const temporary = temporaryFolder();
const [agent = ''] = faultyAgent([]).args;

/** Puts a program named npx, which notes how it is called, in front of the agent's PATH. */
async function fakeNpx(script: string): Promise<LauncherOptions> {
  const folder = temporary.file('bin');
  const npx = join(folder, 'npx');
  await mkdir(folder, { recursive: true });
  await writeFile(npx, `#!/bin/sh\necho "$*" >> "${calls()}"\n${script}\n`);
  await chmod(npx, 0o755);
  return {
    command: 'npx',
    args: ['-y', 'some-agent@1.0.0'],
    prependPath: [folder],
    initializeTimeoutMs: 200,
  };
}

const calls = () => temporary.file('calls');
const launch = (options: LauncherOptions) =>
  new AgentLauncher(options).launch('p', temporary.path, undefined, {}, {});

describe('an agent that npx has to install first (B04)', () => {
  let installs: LauncherOptions;
  beforeEach(async () => {
    installs = await fakeNpx(`echo installing >&2; sleep 0.6; exec "${process.execPath}" "${agent}"`);
  });

  it('gets the time of a package runner, and is run once: nothing is tried out before (B03)', async () => {
    const session = await launch(installs);
    await session.close();
    expect(await readFile(calls(), 'utf8')).toBe('-y some-agent@1.0.0\n');
  });

  it('and no more than that, with what it said', async () => {
    const error = await failureOf(launch({ ...installs, packageRunnerTimeoutMs: 250 }));
    expect(error).toMatchObject({
      code: 'timeout',
      phase: 'initialize',
      facts: { timeoutMs: 250, agentAlive: true, stderrTail: 'installing' },
    });
  });

  it('that can not be installed is told at once, with the reason', async () => {
    const options = await fakeNpx('echo "npm error code ETARGET" >&2; exit 1');
    const error = await failureOf(launch({ ...options, packageRunnerTimeoutMs: 3_600_000 }));
    expect(error).toMatchObject({ code: 'agent-exited', phase: 'initialize', facts: { exitCode: 1 } });
    expect(error.message).toContain('npm error code ETARGET');
  });
});
