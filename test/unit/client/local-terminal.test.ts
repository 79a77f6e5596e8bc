import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { LocalTerminal } from '../../../src/client/local-terminal.ts';

// A command that ends when the test says so: which of exit and output comes first is up to the system otherwise.
vi.mock('../../../src/process/terminate-agent.ts', () => ({
  trackTree: () => ({ noteExit: () => undefined, release: () => undefined }),
}));

afterEach(() => vi.useRealTimers());

function startFake() {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const subprocess = Object.assign(new EventEmitter(), { pid: 1, ...streams });
  const terminal = new LocalTerminal(subprocess, 'lease', 1000);
  return { terminal, ...streams, exit: (code: number) => subprocess.emit('exit', code, null) };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('output that is read after the exit belongs to it: nobody hears of the end before it is there', async () => {
  const { terminal, stdout, stderr, exit } = startFake();
  stdout.write('early ');
  exit(0);
  await nextTurn();
  expect(terminal.exitStatus).toBeUndefined();
  stdout.end('late');
  stderr.end();
  expect(await terminal.exited).toEqual({ exitCode: 0, signal: null });
  expect(terminal.exitStatus).toEqual({ exitCode: 0, signal: null });
  expect(terminal.readOutput().output).toBe('early late');
});

test('X05 output that does not end is waited for a while, and still collected after', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { terminal, stdout, exit } = startFake();
  exit(0);
  await vi.advanceTimersByTimeAsync(249);
  await nextTurn();
  expect(terminal.exitStatus).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(await terminal.exited).toEqual({ exitCode: 0, signal: null });
  stdout.write('from a child');
  await nextTurn();
  expect(terminal.readOutput().output).toBe('from a child');
});
