// What the tests of a repository that uses the library look like: its own runner against the bundled agents.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AcpLauncherError, AgentLauncher, fileSessionStore, SessionManager } from 'acp-launcher';
import { acproxyAgent, expireSession, faultyAgent } from 'acp-launcher/fixtures';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'downstream-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const store = () => join(folder, 'agent-sessions');
const question = '我之前说的数字是多少？';

const errorOf = async (work: Promise<unknown>): Promise<AcpLauncherError> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!AcpLauncherError.isInstance(error)) throw new Error(`no error of the library: ${String(error)}`);
  return error;
};
/** A process that is dead and waits to be reaped by its parent is dead. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc') || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

describe('the agent that behaves', () => {
  it('remembers across processes', async () => {
    const launcher = new AgentLauncher(acproxyAgent({ store: store(), chunkDelayMs: 0 }));
    const first = await launcher.launch('p1', folder, undefined, {}, {});
    await first.prompt('记住数字 42').text();
    const { sessionId } = first;
    await first.close();
    const second = await launcher.launch('p1', folder, undefined, { resumeSessionId: sessionId }, {});
    expect(second.resume).toMatchObject({ status: 'resumed', sessionId });
    expect(await second.prompt(question).text()).toContain('42');
    await second.close();
  });

  it('lets a runner fall back visibly when its session has expired', async () => {
    const launcher = new AgentLauncher(acproxyAgent({ store: store(), chunkDelayMs: 0 }));
    const request = { projectId: 'p1', projectPath: folder };
    const pointers = fileSessionStore(join(folder, 'pointers'));
    const before = new SessionManager({ launcher, store: pointers });
    const told = await before.prompt({ ...request, prompt: '记住数字 42' });
    await told.turn.result;
    const lost = told.session.sessionId;
    await before.shutdown();
    expireSession(store(), lost);
    const after = new SessionManager({ launcher, store: pointers });
    const { session, turn } = await after.prompt({ ...request, prompt: question });
    expect(await turn.text()).not.toContain('42');
    expect(session.resume).toMatchObject({ status: 'fell-back', kind: 'missing', requestedSessionId: lost });
    await after.shutdown();
  });

  it('can be driven without the library', async () => {
    const { command, args, env } = acproxyAgent({ quiet: true });
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const params = { protocolVersion: 1, clientCapabilities: {} };
    child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) lines.push(line);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { id: 1, result: { protocolVersion: 1 } },
    ]);
  });

  it('runs on the Node that runs the tests', async () => {
    const session = await new AgentLauncher(faultyAgent([])).launch('p1', folder, undefined, {}, {});
    const { pid } = session.connection;
    expect(isAlive(pid)).toBe(true);
    if (existsSync(`/proc/${pid}/exe`))
      expect(realpathSync(`/proc/${pid}/exe`)).toBe(realpathSync(process.execPath));
    await session.close();
    expect(isAlive(pid)).toBe(false);
  });
});

describe('the agent that misbehaves', () => {
  it('dies in the middle of a turn, and its conversation goes on in the next process', async () => {
    const options = { store: store(), times: 1 };
    const launcher = new AgentLauncher(faultyAgent('dies-mid-turn', options));
    const session = await launcher.launch('p1', folder, undefined, {}, {});
    const { sessionId } = session;
    expect((await errorOf(session.prompt('记住数字 42').text())).code).toBe('agent-exited');
    await session.close();
    const next = await launcher.launch('p1', folder, undefined, { resumeSessionId: sessionId }, {});
    expect(await next.prompt(question).text()).toContain('42');
    await next.close();
  });

  it('fails in ways that have names', async () => {
    const codeOf = async (...fault: Parameters<typeof faultyAgent>) =>
      (await errorOf(new AgentLauncher(faultyAgent(...fault)).launch('p1', folder, undefined, {}, {}))).code;
    expect(await codeOf('dies-in-initialize')).toBe('agent-exited');
    expect(await codeOf('wrong-protocol-version')).toBe('protocol-version');
    expect(await codeOf('auth-required')).toBe('auth-required');
    expect(await codeOf(['noise-between-lines', 'dies-in-session-new'])).toBe('agent-exited');
  });

  it('ignores every polite way out, with children, and is gone all the same', async () => {
    const pidFile = join(folder, 'pid');
    const launcher = new AgentLauncher({
      ...faultyAgent(['ignores-eof-and-sigterm', 'spawns-stubborn-children'], { pidFile }),
      closeGraceMs: 50,
      terminateGraceMs: 50,
    });
    const session = await launcher.launch('p1', folder, undefined, {}, {});
    const pids = [pidFile, `${pidFile}.children`].flatMap((file) =>
      readFileSync(file, 'utf8').trim().split('\n').map(Number),
    );
    expect(pids).toHaveLength(3);
    await session.close();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('shows what reached it', async () => {
    const launcher = new AgentLauncher({ ...faultyAgent([]), env: { PROJECT_TOKEN: 'visible' } });
    const config = { systemPrompt: 'be brief', mcpServers: [] };
    const session = await launcher.launch('p1', folder, undefined, config, {});
    expect(await session.prompt('/env PROJECT_TOKEN').text()).toBe('visible');
    expect(JSON.parse(await session.prompt('/meta').text())).toEqual({
      systemPrompt: { append: 'be brief' },
    });
    await session.close();
  });
});
