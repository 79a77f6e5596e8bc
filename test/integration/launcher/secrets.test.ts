import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  AgentLauncher,
  AgentStartConfig,
  SessionManager,
  type LauncherOptions,
  type McpServersInput,
} from '../../../src/index.ts';
import { expectNoLeftovers } from '../../helpers/leftovers.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

expectNoLeftovers();
const temporary = temporaryFolder();
const agent = fileURLToPath(new URL('scripts/telltale-agent.mjs', import.meta.url));

/** Each holds, between what has to be escaped, a part by which it is recognised in every spelling but base64. */
const secrets = {
  apiKey: 'sk/Wq7"Provider4417+x=',
  token: "tok&<Wq7Environment9921>'$é",
  proxyPassword: 'Wq7ProxyWord5530',
  mcpValue: 'mcp\\Wq7Variable6642 %',
  header: 'Wq7HeaderValue7753~!*()',
};
const modelProvider = {
  id: 'provider',
  name: 'provider',
  baseUrl: 'https://models.example.test',
  apiKey: secrets.apiKey,
  defaultModel: 'some-model',
};
const mcpServers: McpServersInput = [
  // The second value is too short to be hidden wherever it stands.
  { name: 'tools', command: 'tools', env: { TOOLS_KEY: secrets.mcpValue, PIN: '4417' } },
];

/** What shows a secret: a piece of it in the clear, or of its base64, wherever that begins. */
const signs = [
  'Wq7',
  ...Object.values(secrets).flatMap((secret) =>
    ['', 'a', 'ab'].map((before) =>
      Buffer.from(before + secret)
        .toString('base64')
        .slice(4, 14),
    ),
  ),
];

/** Everything that may be printed of a value, by a logger, a REPL or a crash report. */
function printed(value: unknown, getters = true): string {
  const options = { depth: Infinity, showHidden: true, getters, maxStringLength: null } as const;
  const texts: unknown[] = [inspect(value, options), safeJson(value), String(value)];
  if (value instanceof Error) texts.push(value.stack ?? '', printed(value.cause));
  return texts.join('\n');
}

function safeJson(value: unknown): unknown {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // A session and its connection refer to each other.
  }
}

function expectNoSecret(what: string, text: string): void {
  for (const sign of signs) {
    const at = text.indexOf(sign);
    expect(at < 0 ? '' : `${what}: …${text.slice(Math.max(0, at - 60), at + 60)}`).toBe('');
  }
}

function launcherOptions(where: string, wire: string[]): LauncherOptions {
  return {
    command: process.execPath,
    args: [agent, where],
    env: {
      SERVICE_TOKEN: secrets.token,
      HTTPS_PROXY: `http://user:${secrets.proxyPassword}@proxy.example.test`,
    },
    onWireLine: ({ text }) => wire.push(text),
    maxLineBytes: 200_000,
    initializeTimeoutMs: 5_000,
    sessionWithMcpTimeoutMs: 5_000,
    requestTimeoutMs: 5_000,
  };
}

const places = ['initialize', 'session/new', 'session/list', 'session/prompt'];
const ways = ['result', 'error', 'details', 'text', 'auth', 'missing', 'exit', 'noise', 'long-line'];
const all = places.flatMap((place) => ways.map((way) => `${place} ${way}`));

describe('an agent that tells its secrets (B64)', () => {
  it.each(all)('in %s: none is shown by anything that the library hands out', async (where) => {
    const wire: string[] = [];
    const told: unknown[] = [];
    const launcher = new AgentLauncher(launcherOptions(where, wire));
    launcher.on('stage', (...event) => told.push(event));
    const config = new AgentStartConfig({ mcpServers });
    try {
      const path = temporary.path;
      const connection = await launcher.connect('project', path, modelProvider, config, {});
      for (const name of ['agent-exit', 'noise', 'handler-error', 'not-supported'] as const) {
        connection.on(name, (...event) => told.push(event));
      }
      try {
        const session = await connection.openSession(config);
        session.on('listener-error', (error) => told.push(error));
        const turn = session.prompt('hello', { promptTimeoutMs: 5_000 });
        told.push(await turn.result.catch((error: unknown) => error), turn);
        for await (const listed of connection.listSessions()) told.push(listed);
        told.push(session, session.state, session.resume);
      } catch (error) {
        told.push(error);
      }
      told.push(connection.stderrTail, await connection.close(), connection);
    } catch (error) {
      told.push(error);
    }
    told.push(launcher);
    // What the agent answers and offers is handed on as it came.
    const shown = told.filter((value) => !isAnswer(value));
    for (const value of shown) expectNoSecret(where, printed(value, !where.endsWith('auth')));
    expectNoSecret(`the wire log of ${where}`, wire.join('\n'));
    const opening = wire.find((line) => line.includes('"session/new"'));
    if (opening !== undefined) expect(opening).toContain('"PIN","value":"[redacted]"');
  });

  it.each(['session/new hang', 'session/new missing', 'session/new exit', 'session/prompt error'])(
    'in %s: none is shown by a manager, its snapshot or its log',
    async (where) => {
      const wire: string[] = [];
      const told: unknown[] = [];
      const log = (facts: object, message: string) => told.push([facts, message]);
      const manager = new SessionManager({
        launcher: { ...launcherOptions(where, wire), sessionWithMcpTimeoutMs: 1_500 },
        logger: { debug: log, info: log, warn: log, error: log },
        crashBackoffMs: 0,
      });
      manager.on('session-open', (event) => told.push(event));
      manager.on('resume-retry', (event) => told.push(event));
      manager.on('turn-end', (event) => told.push(event));
      const request = { projectId: 'project', projectPath: temporary.path, modelProvider };
      const startConfig = { mcpServers, resumeSessionId: 'session-of-old' };
      try {
        const { turn } = await manager.prompt({ ...request, startConfig, prompt: 'hello' });
        told.push(await turn.result.catch((error: unknown) => error), turn);
      } catch (error) {
        told.push(error);
      }
      told.push(manager.snapshot(), manager.list(), manager);
      await manager.shutdown();
      for (const value of told.filter((one) => !isAnswer(one))) expectNoSecret(where, printed(value));
      expectNoSecret(`the wire log of ${where}`, wire.join('\n'));
    },
  );
});

function isAnswer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'stopReason' in value;
}
