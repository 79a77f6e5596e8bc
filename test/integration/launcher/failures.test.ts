import { chmod, writeFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import { AcpLauncherError, AgentLauncher, type ErrorCode, type LauncherOptions } from '../../../src/index.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const temporary = temporaryFolder();

async function failureOf(
  options: LauncherOptions,
  config: object = {},
  signal?: AbortSignal,
): Promise<AcpLauncherError> {
  const folder = temporary.path;
  const launching = new AgentLauncher(options).launch('p', folder, undefined, config, {}, { signal });
  const error = await launching.then(
    () => expect.unreachable('the launch should have failed'),
    (caught: unknown) => caught,
  );
  expect(AcpLauncherError.isInstance(error), String(error)).toBe(true);
  const failure = error as AcpLauncherError;
  const { pid } = failure.facts;
  if (pid !== undefined) expect(() => process.kill(pid, 0), 'the agent is gone').toThrow('ESRCH');
  return failure;
}

async function script(text: string, mode = 0o755): Promise<string> {
  const file = temporary.file('agent');
  await writeFile(file, text);
  await chmod(file, mode);
  return file;
}

describe('a launch that can not work', () => {
  it('names an unknown command (B01, B02)', async () => {
    const error = await failureOf({ command: 'no-such-agent-anywhere' });
    expect(error).toMatchObject({ code: 'command-missing', phase: 'spawn' });
    expect(error.message).toContain('no-such-agent-anywhere');
  });

  it('names a command without run bit (B01)', async () => {
    const command = await script('#!/bin/sh\n', 0o644);
    expect(await failureOf({ command })).toMatchObject({ code: 'command-not-executable', phase: 'spawn' });
  });

  it('names a dead interpreter (B02)', async () => {
    const error = await failureOf({ command: await script('#!/no/such/interpreter\n') });
    expect(error).toMatchObject({ code: 'interpreter-missing', phase: 'spawn' });
    expect(error.message).toContain('/no/such/interpreter');
  });

  it('survives an argument that no system takes (X01)', async () => {
    const error = await failureOf({ ...faultyAgent([]), args: ['x'.repeat(200_000)] });
    expect(error).toMatchObject({ code: 'spawn-failed', phase: 'spawn' });
  });

  const cases: readonly (readonly [FaultName, Partial<LauncherOptions>, ErrorCode, object])[] = [
    ['exit-at-once', {}, 'agent-exited', { phase: 'initialize', facts: { exitCode: 1 } }],
    ['dies-in-initialize', {}, 'agent-exited', { phase: 'initialize' }],
    ['dies-in-session-new', {}, 'agent-exited', { phase: 'session' }],
    [
      'never-answers-initialize',
      { initializeTimeoutMs: 300 },
      'timeout',
      { phase: 'initialize', facts: { timeoutMs: 300, agentAlive: true } },
    ],
    [
      'not-acp',
      { initializeTimeoutMs: 300 },
      'timeout',
      { phase: 'initialize', facts: { timeoutMs: 300, agentAlive: true } },
    ],
    ['garbage-stdout', { initializeTimeoutMs: 300 }, 'timeout', { phase: 'initialize' }],
    ['wrong-protocol-version', {}, 'protocol-version', { phase: 'initialize' }],
    ['missing-protocol-version', {}, 'protocol-version', { phase: 'initialize' }],
    ['auth-required', {}, 'auth-required', { phase: 'session' }],
    ['session-new-null-result', {}, 'invalid-response', { phase: 'session' }],
  ];
  it.each(cases)(
    '%s is told as such, and leaves no process (B05-B08)',
    async (fault, options, code, facts) => {
      const error = await failureOf({ ...faultyAgent(fault), ...options });
      expect({ ...error.toJSON(), facts: error.facts }).toMatchObject({ code, ...facts });
    },
  );

  it('tells what an agent said on stderr before it died (B72)', async () => {
    const error = await failureOf(faultyAgent('exit-at-once', { text: 'SyntaxError: this Node is too old' }));
    expect(error.facts.stderrTail).toContain('SyntaxError');
    expect(error.message).toContain('SyntaxError');
  });

  it('maps an exit by 127 to what is missing (B65)', async () => {
    const error = await failureOf({ command: 'sh', args: ['-c', 'no-such-tool'] });
    expect(error).toMatchObject({ code: 'agent-exited', facts: { exitCode: 127 } });
    expect(error.message).toMatch(/not found/);
  });

  it.each([
    [{ additionalDirectories: ['relative/dir'] }, 'additionalDirectories[0]'],
    [{ mcpServers: [{ name: 'a', command: 'a' }, { name: 'b' }] }, 'mcpServers[1].command'],
    [{ resumeSessionId: ' ' }, 'resumeSessionId'],
    [{ claudeCodeOptions: { resume: 'x' } }, 'claudeCodeOptions.resume'],
  ])('names the field of a bad configuration: %j', async (config, field) => {
    expect(await failureOf(faultyAgent([]), config)).toMatchObject({
      code: 'invalid-config',
      facts: { field },
    });
  });

  it('refuses an unknown preset and a limit that is no number, by name', () => {
    expect(() => new AgentLauncher({ agent: 'no-such-preset' })).toThrow(/claude-code/);
    expect(() => new AgentLauncher({ closeGraceMs: -1 })).toThrow(/closeGraceMs/);
  });

  it.each<[FaultName, string]>([
    ['never-answers-initialize', 'initialize'],
    ['slow-session-new', 'session'],
  ])('is aborted in the middle of %s, and the agent is gone', async (fault, stage) => {
    const folder = temporary.path;
    const controller = new AbortController();
    const launcher = new AgentLauncher({ ...faultyAgent(fault, { delayMs: 60_000 }), closeGraceMs: 100 });
    let pid = 0;
    launcher.on(
      'stage',
      (reached) => reached === stage && setImmediate(() => controller.abort(new Error('enough'))),
    );
    const launching = launcher.launch('p', folder, undefined, {}, {}, { signal: controller.signal });
    const error = await launching.catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'aborted', cause: { message: 'enough' } });
    pid = (error as AcpLauncherError).facts.pid ?? 0;
    expect(pid).toBeGreaterThan(0);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('does not start anything for a signal that is aborted already', async () => {
    const error = await failureOf(faultyAgent([]), {}, AbortSignal.abort());
    expect(error).toMatchObject({ code: 'aborted', phase: 'spawn' });
    expect(error.facts.pid).toBeUndefined();
  });

  it('refuses a client that could not serve what it promises, before anything is started', async () => {
    const launcher = new AgentLauncher(faultyAgent([]));
    const client = { readTextFile: null } as never;
    const launching = launcher.launch('p', temporary.path, undefined, {}, client);
    await expect(launching).rejects.toMatchObject({
      code: 'invalid-config',
      facts: { field: 'client.readTextFile' },
    });
  });

  it('shows no argument of the agent in the cause of a failed start', async () => {
    const error = await failureOf({ command: 'no-such-agent', args: ['--api-key', 'a-secret-argument'] });
    expect(error.cause).toMatchObject({ code: 'ENOENT' });
    expect(inspect(error)).not.toContain('a-secret-argument');
  });

  it('leaves no listener on the host when the last agent is gone', async () => {
    const events = [
      'exit',
      'SIGINT',
      'SIGTERM',
      'SIGHUP',
      'uncaughtException',
      'unhandledRejection',
    ] as const;
    const before = events.map((event) => process.listenerCount(event));
    for (let round = 0; round < 5; round += 1) await failureOf(faultyAgent('dies-in-session-new'));
    expect(events.map((event) => process.listenerCount(event))).toEqual(before);
  });
});
