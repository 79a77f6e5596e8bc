import { mkdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acproxyAgent, faultyAgent } from '../../../fixtures/index.ts';
import { AgentLauncher, AgentStartConfig, ResumeFailedError, type LaunchStage } from '../../../src/index.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const temporary = temporaryFolder();

const remember = '记住数字 42';
const recall = '我之前说的数字是多少？';

/** The methods that an agent was sent, in order, from its record. */
async function methodsIn(record: string): Promise<string[]> {
  const lines = (await readFile(record, 'utf8')).trim().split('\n');
  return lines.flatMap((line) => (JSON.parse(line) as { method?: string }).method ?? []);
}

describe('launch', () => {
  it('sends exactly one session/new, never load or resume, with and without a resume', async () => {
    const folder = temporary.path;
    const record = join(folder, 'record.ndjson');
    const launcher = new AgentLauncher(acproxyAgent({ store: folder, record }));
    const first = await launcher.launch('p', folder, undefined, {}, {});
    await first.prompt(remember).result;
    await first.close();
    const second = await launcher.launch('p', folder, undefined, { resumeSessionId: first.sessionId }, {});
    await second.close();
    const methods = await methodsIn(record);
    expect(methods.filter((method) => method === 'session/new')).toHaveLength(2);
    expect(methods.filter((method) => method === 'session/load' || method === 'session/resume')).toEqual([]);
  });

  it('sends one session/new and does not fall back when the resume fails; the agent is gone (B18)', async () => {
    const folder = temporary.path;
    const record = join(folder, 'record.ndjson');
    const launcher = new AgentLauncher(acproxyAgent({ store: folder, record }));
    const failure = launcher.launch('p', folder, undefined, { resumeSessionId: 'never-was' }, {});
    const error = await failure.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ResumeFailedError);
    expect(error).toMatchObject({ code: 'resume-failed', kind: 'missing', sessionId: 'never-was' });
    expect(error).toMatchObject({
      evidence: { source: 'data', text: 'No conversation found with session ID: never-was' },
    });
    expect(await methodsIn(record)).toEqual(['initialize', 'session/new']);
    const { pid = 0 } = (error as ResumeFailedError).facts;
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('resumes with the context that was there, after the process was killed', async () => {
    const folder = temporary.path;
    const launcher = new AgentLauncher(acproxyAgent({ store: folder, chunkDelayMs: 0 }));
    const first = await launcher.launch('p', folder, undefined, {}, {});
    await first.prompt(remember).result;
    process.kill(first.connection.pid, 'SIGKILL');
    await first.connection.exited;
    const second = await launcher.launch('p', folder, undefined, { resumeSessionId: first.sessionId }, {});
    expect(second.resume).toEqual({
      status: 'resumed',
      sessionId: first.sessionId,
      method: 'session/new',
      attempts: 1,
    });
    expect(await second.prompt(recall).text()).toContain('42');
    await second.close();
  });

  it('reports an agent that ignored the resume', async () => {
    const folder = temporary.path;
    const launcher = new AgentLauncher(faultyAgent('ignores-resume'));
    const session = await launcher.launch('p', folder, undefined, { resumeSessionId: 'old' }, {});
    expect(session.resume).toMatchObject({
      status: 'ignored',
      requestedSessionId: 'old',
      sessionId: session.sessionId,
    });
    await session.close();
  });

  it('sends what buildMeta() built, and nothing where it is empty', async () => {
    const folder = temporary.path;
    const launcher = new AgentLauncher(faultyAgent([]));
    const config = new AgentStartConfig({
      systemPrompt: 'Be brief.',
      extraMeta: { claudeCode: { options: { x: 1 } } },
    });
    const session = await launcher.launch('p', folder, undefined, config, {});
    expect(JSON.parse(await session.prompt('/meta').text())).toEqual(config.buildMeta());
    await session.close();
    const plain = await launcher.launch('p', folder, undefined, {}, {});
    expect(JSON.parse(await plain.prompt('/opening').text())).toEqual({
      cwd: folder,
      mcpServers: [],
    });
    await plain.close();
  });

  it('makes the path absolute and canonical: a link, a trailing slash and a relative path are one place (B19)', async () => {
    const folder = temporary.path;
    const project = join(folder, 'my project');
    await mkdir(project);
    await symlink(project, join(folder, 'link'));
    const launcher = new AgentLauncher(faultyAgent([]));
    for (const path of [`${project}/`, join(folder, 'link'), join(project, '..', 'my project')]) {
      const session = await launcher.launch('p', path, undefined, {}, {});
      expect(session.cwd).toBe(project);
      expect(await session.prompt('/cwd').text()).toBe(project);
      await session.close();
    }
  });

  it('refuses a missing directory, and creates it when asked to', async () => {
    const missing = temporary.file('a/b');
    const agent = faultyAgent([]);
    const refused = new AgentLauncher(agent).launch('p', missing, undefined, {}, {});
    await expect(refused).rejects.toMatchObject({
      code: 'cwd-missing',
      phase: 'config',
      facts: { field: 'path' },
    });
    const session = await new AgentLauncher({ ...agent, createProjectDir: true }).launch(
      'p',
      missing,
      undefined,
      {},
      {},
    );
    expect((await stat(missing)).isDirectory()).toBe(true);
    await session.close();
  });

  it("runs the agent of startConfig.agentServer rather than the launcher's own", async () => {
    const folder = temporary.path;
    const agentServer = { agentId: 'mine', ...faultyAgent([]) };
    const launcher = new AgentLauncher({ command: 'no-such-command' });
    const session = await launcher.launch('p', folder, undefined, { agentServer }, {});
    expect(session.connection.agentId).toBe('mine');
    await session.close();
  });

  it('has a static twin', async () => {
    const folder = temporary.path;
    const session = await AgentLauncher.launch('p', folder, undefined, { agentServer: faultyAgent([]) }, {});
    expect(session.resume).toEqual({ status: 'fresh' });
    await session.close();
  });

  it('goes through its stages in order, and says what npx will run', async () => {
    const folder = temporary.path;
    const stages: LaunchStage[] = [];
    const launcher = new AgentLauncher(faultyAgent([]));
    launcher.on('stage', (stage) => stages.push(stage));
    await (await launcher.launch('p', folder, undefined, {}, {})).close();
    expect(stages).toEqual(['config', 'spawn', 'initialize', 'session', 'ready']);
  });

  it('opens several sessions on one connection, each with its own updates', async () => {
    const folder = temporary.path;
    const connection = await new AgentLauncher(acproxyAgent({ chunkDelayMs: 1 })).connect(
      'p',
      folder,
      undefined,
      {},
      {},
    );
    const config = new AgentStartConfig();
    const [one, two] = await Promise.all([connection.openSession(config), connection.openSession(config)]);
    await Promise.all([
      one.prompt('remember the number 1').result,
      two.prompt('remember the number 2').result,
    ]);
    const answers = await Promise.all([one.prompt(recall).text(), two.prompt(recall).text()]);
    expect(answers).toEqual([expect.stringContaining('1'), expect.stringContaining('2')]);
    await one.close();
    expect(connection.alive).toBe(true);
    expect(connection.sessions).toEqual([two]);
    await connection.close();
    await expect(two.prompt('x').result).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('the wire log', () => {
  it('shows every line in both directions, without the secrets', async () => {
    const folder = temporary.path;
    const lines: string[] = [];
    const apiKey = 'sk-very-secret-value-0123456789';
    const launcher = new AgentLauncher({
      ...faultyAgent([]),
      env: { MY_API_KEY: apiKey },
      onWireLine: ({ direction, text }) => lines.push(`${direction} ${text}`),
    });
    const mcpServers = [{ name: 'tools', command: 'tools', env: { TOKEN: 'mcp-secret-value-42' } }];
    const session = await launcher.launch('p', folder, undefined, { mcpServers }, {});
    expect(await session.prompt('/env MY_API_KEY').text()).toBe(apiKey);
    await session.close();
    expect(lines.filter((line) => line.startsWith('sent ') && line.includes('"session/new"'))).toHaveLength(
      1,
    );
    expect(lines.some((line) => line.startsWith('received '))).toBe(true);
    expect(lines.join('\n')).not.toContain(apiKey);
    expect(lines.join('\n')).not.toContain('mcp-secret-value-42');
  });
});
