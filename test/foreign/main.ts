// Other people's ACP clients hold a conversation with the bundled agent: what they understand of it is what it says.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { acproxyAgent } from '../../fixtures/index.ts';
import { installInCache, nodeOf, withNode } from '../helpers/node-version.ts';

const packages = await installInCache('foreign', ['acpx@0.19.1', 'acp-factory@0.1.14']);
const folder = await realpath(await mkdtemp(join(tmpdir(), 'acp-launcher-foreign-')));
const project = join(folder, 'project');
await mkdir(project);
const tell = '记住数字 42';
const ask = '我之前说的数字是多少？';

type Check = readonly [what: string, holds: boolean];

/** The command line client: each call is a process of its own, so the second prompt resumes the session of the first. */
async function acpx(): Promise<Check[]> {
  // It needs a newer Node than the library does.
  const node = await nodeOf(22);
  const record = join(folder, 'acpx-lines');
  const pidFile = join(folder, 'acpx-pid');
  const agent = acproxyAgent({ store: join(folder, 'acpx-store'), chunkDelayMs: 0, record, pidFile });
  const cli = join(packages, 'node_modules/acpx/dist/cli.js');
  const env = withNode(node, { ...process.env, HOME: folder });
  const run = async (...args: string[]) => {
    const command = [node, ...agent.args].join(' ');
    // The background process that keeps its session is to end soon after each call.
    const options = ['--agent', command, '--cwd', project, '--ttl', '1', '--format', 'quiet'];
    const { stdout } = await promisify(execFile)(node, [cli, ...options, ...args], { env, cwd: project });
    return stdout.trim();
  };
  await run('sessions', 'new');
  const told = await run(tell);
  await untilGone(Number(await readFile(pidFile, 'utf8')));
  const answer = await run(ask);
  const once = await run('exec', ask);
  const lines = (await readFile(record, 'utf8')).split('\n');
  const told42 = lines.findIndex((line) => line.includes(tell));
  const resumed = lines.findLastIndex((line) => line.includes('"session/resume"'));
  await run('sessions', 'close');
  return [
    [`acpx tells it a number: ${told}`, told.includes('42')],
    [`acpx asks in the same session: ${answer}`, answer.includes('42')],
    [`acpx asks in a session of its own: ${once}`, once !== '' && !once.includes('42')],
    ['acpx resumed the session in a new process', told42 !== -1 && told42 < resumed],
  ];
}

/** The client ends the agent of a session that is not used, after the second that it was given. */
async function untilGone(pid: number): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    if (Date.now() > deadline) throw new Error(`agent ${pid} is still there`);
    await delay(50);
  }
}

interface FactoryUpdate {
  readonly sessionUpdate: string;
  readonly content?: { readonly text?: string };
}
interface FactorySession {
  readonly id: string;
  prompt(text: string): AsyncIterable<FactoryUpdate>;
  cancel(): Promise<void>;
}
interface FactoryAgent {
  readonly capabilities: { readonly loadSession?: boolean };
  createSession(cwd: string): Promise<FactorySession>;
  close(): Promise<void>;
}
interface Factory {
  register(name: string, agent: { command: string; args: string[]; env: Record<string, string> }): void;
  spawn(name: string, options: { permissionMode: string }): Promise<FactoryAgent>;
}

/** The library: one process, two sessions. */
async function acpFactory(): Promise<Check[]> {
  const entry = pathToFileURL(join(packages, 'node_modules/acp-factory/dist/index.js')).href;
  const { AgentFactory } = (await import(entry)) as { AgentFactory: Factory };
  AgentFactory.register('acproxy', acproxyAgent({ chunkDelayMs: 0, quiet: true }));
  const agent = await AgentFactory.spawn('acproxy', { permissionMode: 'auto-approve' });
  try {
    const say = async (session: FactorySession, text: string) => {
      let reply = '';
      for await (const update of session.prompt(text)) {
        if (update.sessionUpdate === 'agent_message_chunk') reply += update.content?.text ?? '';
      }
      return reply;
    };
    const session = await agent.createSession(project);
    const told = await say(session, tell);
    const answer = await say(session, ask);
    const other = await say(await agent.createSession(project), ask);
    return [
      [`acp-factory tells it a number: ${told}`, told.includes('42')],
      [`acp-factory asks in the same session: ${answer}`, answer.includes('42')],
      [`acp-factory asks in another session: ${other}`, other !== '' && !other.includes('42')],
      ['acp-factory sees that nothing can be loaded', agent.capabilities.loadSession !== true],
    ];
  } finally {
    await agent.close();
  }
}

const checks = [...(await acpx()), ...(await acpFactory())];
for (const [what, holds] of checks) console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}`);
await rm(folder, { recursive: true, force: true });
process.exitCode = checks.every(([, holds]) => holds) ? 0 : 1;
