import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CreateTerminalRequest } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ClientRequestError } from '../../../src/client/client-request-error.ts';
import {
  localTerminals,
  type LocalTerminals,
  type LocalTerminalsOptions,
} from '../../../src/client/local-terminals.ts';
import { temporaryDirectory } from '../../unit/client/temporary-directory.ts';

// Commands here end by themselves. What kills trees runs in a namespace: see terminal-trees.test.ts.

let root: string;
let terminals: LocalTerminals;
const context = { signal: new AbortController().signal };

function use(options: Partial<LocalTerminalsOptions> = {}): void {
  terminals = localTerminals({ roots: [root], ...options });
}

beforeEach(() => {
  root = temporaryDirectory();
  use();
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await terminals.closeSession('s');
  await terminals.closeSession('other');
});

type Request = Omit<CreateTerminalRequest, 'sessionId'>;

async function start(request: Request, sessionId = 's'): Promise<string> {
  const { terminalId } = await terminals.createTerminal({ sessionId, ...request }, context);
  return terminalId;
}

/** Runs a command to its end and reads everything about it. */
async function run(request: Request) {
  const ids = { sessionId: 's', terminalId: await start(request) };
  const exit = await terminals.waitForTerminalExit(ids, context);
  const { output, truncated, exitStatus } = await terminals.terminalOutput(ids, context);
  expect(exitStatus).toEqual(exit);
  return { output, truncated, ...exit };
}

const sh = (script: string, ...args: string[]): Request => ({ command: 'sh', args: ['-c', script, ...args] });

async function refusal(work: unknown): Promise<ClientRequestError> {
  const error: unknown = await Promise.resolve(work).then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ClientRequestError)) throw error;
  return error;
}

/** Handlers may throw at once. */
const attempt = async (call: () => unknown) => await refusal((async () => await call())());

describe('a command', () => {
  test('its output, both streams, and its exit code', async () => {
    expect(await run(sh('echo out; sleep 0.05; echo err >&2; sleep 0.05; echo 漢字; exit 3'))).toEqual({
      output: 'out\nerr\n漢字\n',
      truncated: false,
      exitCode: 3,
      signal: null,
    });
  });

  test('the signal that ended it', async () => {
    expect(await run(sh('kill -KILL $$'))).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  });

  test('all of its output is there once it has ended', async () => {
    const { output } = await run(sh('head -c 600000 /dev/zero | tr "\\0" x; echo end >&2'));
    expect(output.replaceAll(/x+/g, (run) => String(run.length))).toMatch(/^(600000end\n|\d+end\n\d+)$/);
    expect(output).toHaveLength(600_004);
  });

  test('the end of its output within the limit of the agent, or ours if that is lower', async () => {
    use({ maxOutputBytes: 8 });
    const text = sh('printf 0123456789漢字');
    expect(await run({ ...text, outputByteLimit: 4 })).toMatchObject({ output: '字', truncated: true });
    expect(await run({ ...text, outputByteLimit: 100 })).toMatchObject({ output: '89漢字', truncated: true });
    expect(await run({ ...sh('printf 12345678') })).toMatchObject({ output: '12345678', truncated: false });
  });

  test('its arguments as they are, without a shell', async () => {
    const args = ['$HOME', '`id`', 'a b', '', '*', "';'", '漢'];
    expect(await run({ command: 'printf', args: ['<%s>', ...args] })).toMatchObject({
      output: args.map((arg) => `<${arg}>`).join(''),
    });
  });

  test('an empty stdin', async () => {
    expect(await run({ command: 'cat' })).toMatchObject({ output: '', exitCode: 0 });
  });

  test('a whole command line goes through a shell, as many agents send it', async () => {
    expect(await run({ command: 'echo a  b | tr a-z A-Z && exit 5' })).toMatchObject({
      output: 'A B\n',
      exitCode: 5,
    });
    expect(await run({ command: 'no-such-command-at-all --flag', args: [] })).toMatchObject({
      exitCode: 127,
    });
  });

  test('a file of that name is run itself, blanks and all', async () => {
    const tool = join(root, 'my tool; really');
    writeFileSync(tool, '#!/bin/sh\necho "$0"\n');
    chmodSync(tool, 0o755);
    expect(await run({ command: tool })).toMatchObject({ output: `${tool}\n` });
    expect(await run({ command: './my tool; really' })).toMatchObject({ output: './my tool; really\n' });
  });
});

describe('where it runs', () => {
  test('in the first root, or in a directory under any root', async () => {
    mkdirSync(join(root, 'a/b'), { recursive: true });
    const second = temporaryDirectory();
    use({ roots: [root, second] });
    for (const [cwd, expected] of [
      [undefined, root],
      [null, root],
      [join(root, 'a/b'), join(root, 'a/b')],
      [`${root}/a/../a/`, join(root, 'a')],
      [second, second],
    ] as const) {
      expect(await run({ command: 'pwd', ...(cwd === undefined ? {} : { cwd }) })).toMatchObject({
        output: `${expected}\n`,
      });
    }
  });

  test('not elsewhere', async () => {
    symlinkSync('/', join(root, 'link'));
    writeFileSync(join(root, 'file'), '');
    for (const [cwd, rpcCode] of [
      ['/', -32602],
      [`${root}/..`, -32602],
      [join(root, 'link'), -32602],
      ['a', -32602],
      ['', -32602],
      [join(root, 'file'), -32602],
      [join(root, 'missing'), -32002],
    ] as const) {
      expect(await attempt(() => start({ command: 'pwd', cwd }))).toMatchObject({ rpcCode });
    }
  });

  test('B61 B63 with the environment of the request over ours over a little of the host, and no secrets', async () => {
    vi.stubEnv('ACP_TEST_SECRET', 'host secret');
    vi.stubEnv('CLAUDECODE', '1');
    vi.stubEnv('LC_TEST', 'host');
    use({ env: { OURS: '1', BOTH: 'ours', LC_TEST: undefined } });
    const env = [
      { name: 'THEIRS', value: '2' },
      { name: 'BOTH', value: 'theirs' },
      { name: 'ACP_LAUNCHER_LEASE', value: 'forged' },
    ];
    const { output } = await run({ command: 'env', env });
    const seen = new Map(output.split('\n').map((line) => line.split('=', 2) as [string, string]));
    expect(Object.fromEntries(seen)).toMatchObject({
      OURS: '1',
      BOTH: 'theirs',
      THEIRS: '2',
      PATH: process.env['PATH'],
    });
    for (const name of ['ACP_TEST_SECRET', 'CLAUDECODE', 'LC_TEST']) expect(seen.has(name)).toBe(false);
    expect(seen.get('ACP_LAUNCHER_LEASE')).toMatch(/^[0-9a-f.]{20,}$/);
  });
});

describe('what cannot be started', () => {
  test.each<[string, () => Request, RegExp]>([
    [
      'a command that does not exist',
      () => ({ command: 'no-such-command-at-all' }),
      /^the command no-such-command-at-all was not found$/,
    ],
    ['a command that may not be run', () => ({ command: join(root, 'plain') }), /may not be run$/],
    [
      'arguments that are too long',
      () => ({ command: 'echo', args: ['x'.repeat(200_000)] }),
      /too many or too long/,
    ],
    ['a very long command', () => ({ command: `/${'x'.repeat(5000)}` }), /^the command \/x{199}… /],
  ])('%s', async (_what, request, message) => {
    writeFileSync(join(root, 'plain'), '#!/bin/sh\n', { mode: 0o644 });
    const error = await attempt(() => start(request()));
    expect(error.rpcCode).toBe(-32603);
    expect(error.message).toMatch(message);
  });

  test('a failed start does not count as a terminal', async () => {
    use({ maxTerminals: 1 });
    await attempt(() => start({ command: 'no-such-command-at-all' }));
    await attempt(() => start({ command: 'pwd', cwd: '/' }));
    expect(await run({ command: 'true' })).toMatchObject({ exitCode: 0 });
  });

  test('nothing is started for a request that was taken back', async () => {
    const signal = AbortSignal.abort();
    const request = { sessionId: 's', ...sh(`touch ${join(root, 'started')}`) };
    expect(await attempt(() => terminals.createTerminal(request, { signal }))).toMatchObject({
      rpcCode: -32800,
    });
    expect(() => readFileSync(join(root, 'started'))).toThrow();
  });

  test('no more terminals than allowed, per session, until one is released', async () => {
    use({ maxTerminals: 2 });
    const atOnce = await Promise.allSettled([1, 2, 3].map(() => start({ command: 'true' })));
    const made = atOnce.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(made).toHaveLength(2);
    const [first = ''] = made;
    expect(await attempt(() => start({ command: 'true' }))).toMatchObject({ rpcCode: -32603 });
    await start({ command: 'true' }, 'other');
    const ids = { sessionId: 's', terminalId: first };
    await terminals.waitForTerminalExit(ids, context);
    await terminals.releaseTerminal(ids, context);
    await start({ command: 'true' });
  });
});

describe('terminal ids', () => {
  test('are not found in another session, when unknown, and when released', async () => {
    const terminalId = await start({ command: 'true' });
    const mine = { sessionId: 's', terminalId };
    await terminals.waitForTerminalExit(mine, context);
    await start({ command: 'true' }, 'other');
    const expectNotFound = async (ids: { sessionId: string; terminalId: string }) => {
      for (const method of [
        'terminalOutput',
        'waitForTerminalExit',
        'killTerminal',
        'releaseTerminal',
      ] as const) {
        expect(await attempt(() => terminals[method](ids, context))).toMatchObject({
          rpcCode: -32002,
          data: { terminalId: ids.terminalId },
        });
      }
    };
    await expectNotFound({ sessionId: 'other', terminalId });
    await expectNotFound({ sessionId: 's', terminalId: 'unknown' });
    await expectNotFound({ sessionId: 'unknown', terminalId });
    expect(await terminals.terminalOutput(mine, context)).toMatchObject({ exitStatus: { exitCode: 0 } });
    expect(await terminals.releaseTerminal(mine, context)).toEqual({});
    await expectNotFound(mine);
  });

  test('cannot be guessed', async () => {
    const ids = await Promise.all(Array.from({ length: 3 }, () => start({ command: 'true' })));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  });
});
