import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/errors/create-redactor.ts';
import { noRedaction } from '../../../src/errors/redactor.ts';
import { AgentProcess, type SpawnAgentRequest } from '../../../src/process/agent-process.ts';
import { explainExit } from '../../../src/process/diagnose-spawn.ts';
import { leaseVariable } from '../../../src/process/terminate-agent.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'acp-launcher-spawn-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const running: AgentProcess[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.close()));
});

function request(overrides: Partial<SpawnAgentRequest>): SpawnAgentRequest {
  return {
    command: 'cat',
    args: [],
    cwd: folder,
    env: { PATH: process.env.PATH ?? '' },
    redactor: noRedaction,
    stderrTailBytes: 64 * 1024,
    closeGraceMs: 5_000,
    terminateGraceMs: 1_500,
    ...overrides,
  };
}

async function spawn(overrides: Partial<SpawnAgentRequest>): Promise<AgentProcess> {
  const agent = await AgentProcess.spawn(request(overrides));
  running.push(agent);
  return agent;
}

const shell = (script: string, overrides: Partial<SpawnAgentRequest> = {}) =>
  spawn({ command: 'sh', args: ['-c', script], ...overrides });

const node = (script: string, overrides: Partial<SpawnAgentRequest> = {}) =>
  spawn({ command: process.execPath, args: ['-e', script], ...overrides });

async function readAll(agent: AgentProcess): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of agent.stdout) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function file(name: string, text: string, mode = 0o755): Promise<string> {
  const target = path.join(folder, name);
  await writeFile(target, text);
  await chmod(target, mode);
  return target;
}

describe('a spawn that fails says what is missing (B01, B02, X01)', () => {
  const failure = (overrides: Partial<SpawnAgentRequest>) =>
    AgentProcess.spawn(request(overrides)).then(
      () => expect.unreachable('it was started'),
      (error: unknown) => error,
    );

  it('the command', async () => {
    const error = await failure({ command: 'no-such-agent' });
    expect(error).toMatchObject({ code: 'command-missing', phase: 'spawn', retryable: false });
  });

  it('the command, on the PATH that the agent gets', async () => {
    await mkdir(path.join(folder, 'empty'), { recursive: true });
    expect(await failure({ env: { PATH: path.join(folder, 'empty') } })).toMatchObject({
      code: 'command-missing',
    });
  });

  it('the cwd, also where the command is missing as well', async () => {
    const cwd = path.join(folder, 'gone');
    expect(await failure({ cwd })).toMatchObject({
      code: 'cwd-missing',
      message: expect.stringContaining(cwd) as string,
    });
    expect(await failure({ cwd, command: 'no-such-agent' })).toMatchObject({ code: 'cwd-missing' });
  });

  it('a cwd that is a file', async () => {
    expect(await failure({ cwd: await file('a-file', '') })).toMatchObject({ code: 'cwd-missing' });
  });

  it('the interpreter', async () => {
    const command = await file('dead-interpreter', '#!/no/such/node\n');
    expect(await failure({ command })).toMatchObject({
      code: 'interpreter-missing',
      message: expect.stringContaining('/no/such/node') as string,
    });
  });

  it('the interpreter of the interpreter', async () => {
    const inner = await file('inner', '#!/no/such/node\n');
    const command = await file('outer', `#!${inner}\n`);
    expect(await failure({ command })).toMatchObject({
      code: 'interpreter-missing',
      message: expect.stringContaining('/no/such/node') as string,
    });
  });

  it('an interpreter with a carriage return in its name', async () => {
    const command = await file('windows-line-ends', '#!/bin/sh\r\necho\r\n');
    expect(await failure({ command })).toMatchObject({
      code: 'interpreter-missing',
      message: expect.stringContaining('Windows line ends') as string,
    });
  });

  it('the run bit, or that it is a directory', async () => {
    const command = await file('no-run-bit', '#!/bin/sh\n', 0o644);
    expect(await failure({ command })).toMatchObject({ code: 'command-not-executable' });
    expect(await failure({ command: '/dev/null' })).toMatchObject({ code: 'command-not-executable' });
    expect(await failure({ command: folder })).toMatchObject({ code: 'command-not-executable' });
    const env = { PATH: folder };
    expect(await failure({ command: 'no-run-bit', env })).toMatchObject({ code: 'command-not-executable' });
  });

  it.each([
    ['an empty command', { command: '' }, 'command-missing'],
    ['a NUL in the command', { command: 'c\0' }, 'command-missing'],
    ['a NUL in the cwd', { cwd: '/\0' }, 'cwd-missing'],
    ['a NUL in an argument', { args: ['a', 'topsecret\0'] }, 'spawn-failed'],
    ['a NUL in the environment', { env: { NAME_OF_IT: 'topsecret\0' } }, 'spawn-failed'],
    ['an argument that is too long', { args: ['topsecret'.repeat(20_000)] }, 'spawn-failed'],
    ['an environment that is too long', { env: { NAME_OF_IT: 'topsecret'.repeat(20_000) } }, 'spawn-failed'],
    ['a name that is too long', { command: 'topsecret'.repeat(1_000) }, 'spawn-failed'],
  ])('%s', async (_, overrides, code) => {
    const error = await failure(overrides);
    expect(error).toMatchObject({ code, phase: 'spawn', retryable: false });
    if (!('command' in overrides)) expect(JSON.stringify(error)).not.toContain('topsecret');
  });
});

describe('a running agent', () => {
  it('gets its streams as they are, and tells how it ended', async () => {
    const agent = await shell('cat; exit 3');
    expect(agent.exit).toBeUndefined();
    agent.stdin.end('ping\n');
    const [chunk] = (await once(agent.stdout, 'data')) as [Buffer];
    expect(chunk).toEqual(Buffer.from('ping\n'));
    expect(await agent.exited).toEqual({ exitCode: 3, exitSignal: null });
    expect(agent.exit).toEqual({ exitCode: 3, exitSignal: null });
    expect(await agent.close()).toEqual({ endedBy: 'exit', survivors: [] });
  });

  it('tells the signal that ended it', async () => {
    const agent = await shell('kill -USR1 $$');
    expect(await agent.exited).toEqual({ exitCode: null, exitSignal: 'SIGUSR1' });
  });

  it('gets the given environment, and nothing else but its lease (B63, B65)', async () => {
    process.env.ACP_LAUNCHER_TEST_MARKER = 'host only';
    try {
      const agent = await spawn({ command: '/usr/bin/env', env: { ONE: '1' } });
      const names = (await readAll(agent))
        .trim()
        .split('\n')
        .map((line) => line.split('=')[0]);
      expect(names.sort()).toEqual([leaseVariable, 'ONE']);
    } finally {
      delete process.env.ACP_LAUNCHER_TEST_MARKER;
    }
  });

  it('is found where there is no PATH at all, as the system does (B65)', async () => {
    const agent = await spawn({ command: 'sh', args: ['-c', 'echo started'], env: {} });
    expect(await readAll(agent)).toBe('started\n');
  });

  it.each(['data', 'iteration'])('keeps what it wrote for a reader that comes late, by %s', async (how) => {
    const agent = await shell('echo first; echo last; exit 0');
    await agent.exited;
    // Past the ticks in which execa and Node would set the stream flowing, and all that it holds would be read.
    await agent.stderr.ended;
    for (let tick = 0; tick < 20; tick += 1) await new Promise((resolve) => setImmediate(resolve));
    if (how === 'iteration') return expect(await readAll(agent)).toBe('first\nlast\n');
    let text = '';
    agent.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(agent.stdout, 'end');
    expect(text).toBe('first\nlast\n');
  });

  it('gives its last words before close() resolves, when somebody reads', async () => {
    const agent = await shell('cat >/dev/null; echo goodbye; echo and thanks >&2');
    let text = '';
    agent.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    expect(await agent.close()).toEqual({ endedBy: 'stdin-end', survivors: [] });
    expect(text).toBe('goodbye\n');
    expect(agent.stderr.text()).toBe('and thanks');
  });

  it('closes once for all callers, and its pipes with it', async () => {
    const agent = await spawn({});
    const report = { endedBy: 'stdin-end', survivors: [] };
    expect(await Promise.all([agent.close(), agent.close()])).toEqual([report, report]);
    expect(await Promise.all([agent.close(), agent.kill()])).toEqual([report, report]);
    expect([agent.stdin.destroyed, agent.stdout.destroyed]).toEqual([true, true]);
  });

  it('gives all of its last words to a reader that takes its time', async () => {
    const agent = await shell('cat >/dev/null; head -c 300000 /dev/zero');
    let bytes = 0;
    agent.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      agent.stdout.pause();
      setTimeout(() => agent.stdout.resume(), 10);
    });
    await agent.close();
    expect(bytes).toBe(300_000);
  });

  it('gives up output that nobody reads', async () => {
    const agent = await shell('echo unread; cat >/dev/null');
    await agent.close();
    expect(agent.stdout.destroyed).toBe(true);
  });
});

describe('writing to an agent that does not read (B50)', () => {
  it.each([
    ['has closed its stdin', 'exec 0<&-; echo closed; sleep 0.2'],
    ['has exited', 'echo closed'],
  ])('is harmless when it %s', async (_, script) => {
    const agent = await shell(script);
    await once(agent.stdout, 'data');
    for (let line = 0; line < 50; line += 1) agent.stdin.write(`${'x'.repeat(10_000)}\n`);
    await agent.exited;
    agent.stdin.write('late');
    agent.stdin.end('later');
    agent.stdin.write('after the end');
    await agent.close();
    agent.stdin.write('after the close');
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('writing after the end of stdin (B50)', () => {
  it.each([
    ['at once', (stdin: Writable) => stdin.write('at once')],
    ['at the finish', (stdin: Writable) => stdin.once('finish', () => stdin.write('at the finish'))],
    ['at the close', (stdin: Writable) => stdin.once('close', () => stdin.write('at the close'))],
  ])('is harmless while the agent lives on: %s', async (_, write) => {
    const agent = await shell('cat >/dev/null; echo ended; sleep 1');
    agent.stdin.end();
    write(agent.stdin);
    await once(agent.stdout, 'data');
    await new Promise((resolve) => setImmediate(resolve));
    expect(agent.exit).toBeUndefined();
  });
});

describe('stderr', () => {
  it.each([
    ['1 MB in lines', 1, '\\n'],
    ['1 MB without a line end', 1, 'x'],
    ['10 MB in lines', 10, '\\n'],
    ['10 MB without a line end', 10, 'x'],
  ])('never blocks the agent, and is bounded: %s (B55)', async (_, megabytes, end) => {
    const agent = await node(`
      const { writeSync } = require('fs');
      const piece = ('y'.repeat(1023) + '${end}').repeat(64);
      const all = (text) => { for (let left = text; left; ) { try { left = left.slice(writeSync(2, left)) } catch (e) { if (e.code !== 'EAGAIN') throw e } } };
      for (let i = 0; i < ${megabytes} * 16; i++) all(piece);
      all('the last words');
      console.log('answered');
    `);
    expect(await readAll(agent)).toBe('answered\n');
    await agent.stderr.ended;
    expect(agent.stderr.text()).toMatch(/the last words$/);
    expect(Buffer.byteLength(agent.stderr.text())).toBeLessThanOrEqual(64 * 1024);
    expect(agent.stderr.text().length).toBeGreaterThan(48 * 1024);
  });

  it('shows no secret, in whatever pieces it comes (B64)', async () => {
    const key = 'kE9-quite-secret-77';
    const agent = await node(
      `
      const dump = 'dump ANTHROPIC_API_KEY=' + process.env.ANTHROPIC_API_KEY + ' and ' + JSON.stringify(JSON.stringify({ key: process.env.ANTHROPIC_API_KEY }));
      const text = dump + '\\nAuthorization: Bearer abcdefgh-123\\nhttps://me:hunter22@host/\\nsk-ant-api03-AbCdEfGh1234\\nfatal: no credits\\n';
      (async () => { for (const c of text) await new Promise((r) => process.stderr.write(c, r)); process.exitCode = 1; })();
    `,
      {
        env: { PATH: process.env.PATH ?? '', ANTHROPIC_API_KEY: key },
        redactor: createRedactor([{ value: key, name: 'ANTHROPIC_API_KEY', origin: 'explicit' }]),
      },
    );
    const lines: string[] = [];
    agent.stderr.onLine((line) => lines.push(line));
    expect(await agent.exited).toEqual({ exitCode: 1, exitSignal: null });
    await agent.stderr.ended;
    expect(agent.stderr.text()).toBe(lines.join('\n'));
    expect(lines).toEqual([
      'dump ANTHROPIC_API_KEY=[redacted] and "{\\"key\\":\\"[redacted]\\"}"',
      'Authorization: Bearer [redacted]',
      'https://me:[redacted]@host/',
      '[redacted]',
      'fatal: no credits',
    ]);
  });
});

describe('an exit that was in truth a failed start (B65)', () => {
  it.each([
    [
      'a script whose node is not on the PATH',
      '#!/usr/bin/env node-of-nowhere\n',
      "node-of-nowhere was not found on the agent's PATH",
    ],
    [
      'a wrapper whose agent is missing',
      '#!/bin/sh\nagent-of-nowhere --acp\n',
      "agent-of-nowhere was not found on the agent's PATH",
    ],
    [
      'a wrapper whose agent has no run bit',
      '#!/bin/sh\n./no-run-bit-either\n',
      'a program that it starts may not be executed',
    ],
  ])('%s', async (_, script, hint) => {
    await file('no-run-bit-either', 'x', 0o644);
    const agent = await spawn({ command: await file('wrapper', script) });
    const exit = await agent.exited;
    await agent.stderr.ended;
    expect(explainExit({ exitCode: exit.exitCode, stderr: agent.stderr.text() })).toBe(hint);
  });
});
