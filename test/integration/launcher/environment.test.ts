import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import {
  AgentLauncher,
  type AgentSession,
  type LauncherOptions,
  type ModelProviderConfig,
} from '../../../src/index.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const temporary = temporaryFolder();

const provider = (name: string): ModelProviderConfig => ({
  id: name,
  name,
  baseUrl: `https://${name}.example/v1`,
  apiKey: `key-of-${name}-0123456789`,
  defaultModel: `${name}-large`,
});

async function launch(
  options: Partial<LauncherOptions>,
  modelProvider?: ModelProviderConfig,
): Promise<AgentSession> {
  const launcher = new AgentLauncher({ ...faultyAgent([]), ...options });
  return launcher.launch('my-project', temporary.path, modelProvider, {}, {});
}

async function environmentOf(session: AgentSession, ...names: string[]): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const name of names) values[name] = await session.prompt(`/env ${name}`).text();
  return values;
}

describe("the agent's environment", () => {
  beforeEach(() => {
    vi.stubEnv('CLAUDECODE', '1');
    vi.stubEnv('DATABASE_URL', 'postgres://user:password@host/db');
    vi.stubEnv('ANTHROPIC_API_KEY', 'the-hosts-own-key');
    vi.stubEnv('TZ', 'Asia/Shanghai');
  });
  afterEach(() => void vi.unstubAllEnvs());

  it('inherits what the allow-list names, and nothing else (B61, B63)', async () => {
    const session = await launch({});
    const seen = await environmentOf(session, 'TZ', 'CLAUDECODE', 'DATABASE_URL', 'ANTHROPIC_API_KEY');
    expect(seen).toEqual({
      TZ: 'Asia/Shanghai',
      CLAUDECODE: 'CLAUDECODE is not set',
      DATABASE_URL: 'DATABASE_URL is not set',
      ANTHROPIC_API_KEY: 'ANTHROPIC_API_KEY is not set',
    });
    expect((await environmentOf(session, 'PATH'))['PATH']).toBe(process.env['PATH']);
    await session.close();
  });

  it('keeps PATH and HOME when variables are given, and removes what is undefined (B65)', async () => {
    const session = await launch({ env: { MINE: 'yes', TZ: undefined } });
    const seen = await environmentOf(session, 'MINE', 'HOME', 'TZ');
    expect(seen).toMatchObject({ MINE: 'yes', HOME: process.env['HOME'], TZ: 'TZ is not set' });
    await session.close();
  });

  it('keeps two projects with two providers apart, and process.env as it was (B62)', async () => {
    const before = { ...process.env };
    const [one, two] = await Promise.all([launch({}, provider('one')), launch({}, provider('two'))]);
    const names = [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_BASE_URL',
      'OPENAI_API_KEY',
      'OPENCODE_MODEL',
      'AGENT_PROJECT_ID',
    ];
    expect(await environmentOf(one, ...names)).toEqual({
      ANTHROPIC_API_KEY: 'key-of-one-0123456789',
      ANTHROPIC_BASE_URL: 'https://one.example/v1',
      OPENAI_API_KEY: 'key-of-one-0123456789',
      OPENCODE_MODEL: 'one-large',
      AGENT_PROJECT_ID: 'my-project',
    });
    expect(await environmentOf(two, 'ANTHROPIC_API_KEY')).toEqual({
      ANTHROPIC_API_KEY: 'key-of-two-0123456789',
    });
    expect(await environmentOf(one, 'AGENT_WORKING_DIR')).toEqual({ AGENT_WORKING_DIR: one.cwd });
    await Promise.all([one.close(), two.close()]);
    expect({ ...process.env }).toEqual(before);
  });

  it('puts the launch options above everything, and fills in templates', async () => {
    const env = { ANTHROPIC_MODEL: 'mine', WRAPPED: '<{MODEL_PROVIDER_DEFAULT_MODEL}>' };
    const session = await launch({ env }, provider('one'));
    expect(await environmentOf(session, 'ANTHROPIC_MODEL', 'WRAPPED')).toEqual({
      ANTHROPIC_MODEL: 'mine',
      WRAPPED: '<one-large>',
    });
    await session.close();
  });

  it('gives MCP servers that bring an env of their own the PATH and HOME of the agent', async () => {
    const launcher = new AgentLauncher({ ...faultyAgent([]), env: { PATH: '/usr/bin:/bin:/opt/tools' } });
    const mcpServers = [
      { name: 'tools', command: 'tools', env: { KEY: 'x', HOME: '/own' } },
      { name: 'bare', command: 'bare' },
    ];
    const session = await launcher.launch('my-project', temporary.path, undefined, { mcpServers }, {});
    expect(JSON.parse(await session.prompt('/mcp').text())).toEqual([
      {
        name: 'tools',
        command: 'tools',
        args: [],
        env: [
          { name: 'KEY', value: 'x' },
          { name: 'HOME', value: '/own' },
          { name: 'PATH', value: '/usr/bin:/bin:/opt/tools' },
        ],
      },
      { name: 'bare', command: 'bare', args: [], env: [] },
    ]);
    await session.close();
  });

  it("shows no secret of the provider's in an error (B64)", async () => {
    const secret = provider('leaky');
    const options = faultyAgent(['leaks-secrets', 'dies-in-session-new']);
    const error: unknown = await launch(options, secret).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'agent-exited' });
    expect(JSON.stringify(error) + String(error)).not.toContain(secret.apiKey);
  });

  it('puts no key on the command line, not even where a template asks for it (B64)', async () => {
    const secret = provider('keen');
    const { command, args } = faultyAgent([]);
    const launcher = new AgentLauncher({ command, args: [...args, '{MODEL_PROVIDER_API_KEY}'] });
    const session = await launcher.launch('my-project', temporary.path, secret, {}, {});
    const commandLine = await readFile(`/proc/${session.connection.pid}/cmdline`, 'utf8');
    expect(commandLine).toContain('{MODEL_PROVIDER_API_KEY}');
    expect(commandLine).not.toContain(secret.apiKey);
    await session.close();
  });
});
