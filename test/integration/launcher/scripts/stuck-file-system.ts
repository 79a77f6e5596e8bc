// A host whose file system does not answer: all threads that do Node's file work wait at a pipe that nobody writes to.
// Reports what its launches and openings end with, and what it can do when the pipe has gone on.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenSessionOptions } from '../../../../src/agent-connection.ts';
import { AgentLauncher } from '../../../../src/agent-launcher.ts';
import type { AgentStartConfigInput } from '../../../../src/config/agent-start-config.ts';
import { noRedaction } from '../../../../src/errors/redactor.ts';
import { diagnoseSpawn } from '../../../../src/process/diagnose-spawn.ts';

const [agent = ''] = process.argv.slice(2);
const threads = 4;
const folder = mkdtempSync(join(tmpdir(), 'stuck-'));
const pipe = join(folder, 'pipe');
spawnSync('mkfifo', [pipe]);
const described = (error: unknown) => {
  const { code, phase, facts } = error as { code: string; phase: string; facts: { timeoutMs?: number } };
  return { code, phase, timeoutMs: facts.timeoutMs };
};
const launcher = new AgentLauncher({ command: process.execPath, args: [agent], requestTimeoutMs: 300 });
const connection = await launcher.connect('p', folder, undefined, {}, {});
const stuck = Array.from({ length: threads }, () => open(pipe, 'r'));

const launch = (signal?: AbortSignal) => launcher.launch('p', folder, undefined, {}, {}, { signal });

const late = described(await launch().catch((error: unknown) => error));
const controller = new AbortController();
setImmediate(() => controller.abort());
const aborted = described(await launch(controller.signal).catch((error: unknown) => error));
const openSession = (config: AgentStartConfigInput, options: OpenSessionOptions) =>
  connection.openSession(config, options).then(() => undefined, described);
const more = { additionalDirectories: [tmpdir()] };
const opened = {
  late: await openSession({}, { cwd: folder }),
  moreLate: await openSession(more, {}),
  moreAborted: await openSession(more, { signal: AbortSignal.timeout(20) }),
};
const refused = Object.assign(new Error('spawn agent ENOENT'), { code: 'ENOENT', syscall: 'spawn agent' });
const request = { command: 'agent', cwd: folder, env: {}, redactor: noRedaction };
const undiagnosed = described(await diagnoseSpawn(request, refused));

// Opened for both, a pipe waits for nobody.
const writer = openSync(pipe, 'r+');
for (const handle of await Promise.all(stuck)) await handle.close();
closeSync(writer);
const session = await launch();
await session.close();
await connection.close();
process.stdout.write(
  `${JSON.stringify({ late, aborted, opened, undiagnosed, afterwards: session.resume.status })}\n`,
);
process.exit(0);
