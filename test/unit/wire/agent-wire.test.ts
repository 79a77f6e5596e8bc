import { describe, expect, test, vi } from 'vitest';
import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';
import type { WireRequest } from '../../../src/wire/agent-wire.ts';
import { FakeAgent, settle } from './fake-agent.ts';

const list: WireRequest = { phase: 'session', method: 'session/list', params: {}, timeoutMs: 0 };
const promptOf = (sessionId: string): WireRequest => ({
  phase: 'prompt',
  method: 'session/prompt',
  params: { sessionId },
  timeoutMs: 0,
  sessionId,
});

/** What a request has come to by now, an error by its code. */
function watch(promise: Promise<unknown>): { readonly outcome: unknown } {
  const seen: { outcome: unknown } = { outcome: 'pending' };
  promise.then(
    (value) => (seen.outcome = value),
    (error: unknown) => (seen.outcome = AcpLauncherError.isInstance(error) ? error.code : error),
  );
  return seen;
}

const errorOf = async (promise: Promise<unknown>): Promise<AcpLauncherError> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!AcpLauncherError.isInstance(error)) throw new Error(`not an error of ours: ${String(error)}`);
  return error;
};

describe('a request', () => {
  test('is answered', async () => {
    const agent = new FakeAgent();
    const request = watch(agent.wire.request({ ...list, params: { cwd: '/x' } }));
    const [sent] = await agent.read();
    expect(sent).toEqual({ jsonrpc: '2.0', id: 0, method: 'session/list', params: { cwd: '/x' } });
    await agent.respond(0, { sessions: [] });
    expect(request.outcome).toEqual({ sessions: [] });
  });

  test('B72 that fails keeps code, message and data', async () => {
    const agent = new FakeAgent();
    const failed = errorOf(agent.wire.request(list));
    await agent.read();
    const error = { code: -32603, message: 'Internal error', data: { details: 'no disk' } };
    await agent.write({ jsonrpc: '2.0', id: 0, error });
    expect(await failed).toMatchObject({
      code: 'request-failed',
      message: 'the agent (fake-agent) answered session/list with an error: Internal error: no disk (-32603)',
      facts: { rpc: error, method: 'session/list', agentAlive: true },
    });
  });

  test('X02 -32000 is a matter of authentication at session set-up alone', async () => {
    const agent = new FakeAgent();
    agent.wire.authMethods = ['api-key'];
    const atSetUp = errorOf(agent.wire.request({ ...list, method: 'session/new' }));
    const atPrompt = errorOf(agent.wire.request(promptOf('s')));
    await agent.read();
    const error = { code: -32000, message: 'Authentication required' };
    await agent.write({ jsonrpc: '2.0', id: 0, error }, { jsonrpc: '2.0', id: 1, error });
    expect(await atSetUp).toMatchObject({ code: 'auth-required', facts: { authMethods: ['api-key'] } });
    expect(await atPrompt).toMatchObject({ code: 'request-failed' });
  });

  test('that JSON can not hold fails by itself', async () => {
    const agent = new FakeAgent();
    const failed = errorOf(agent.wire.request({ ...list, params: { _meta: 1n } }));
    expect(await failed).toMatchObject({ code: 'invalid-config', facts: { method: 'session/list' } });
    const next = watch(agent.wire.request(list));
    await agent.read();
    await agent.respond(1, {});
    expect(next.outcome).toEqual({});
  });

  test('that passes its deadline is given up, and its late answer changes nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const agent = new FakeAgent();
    const onResponse = vi.fn();
    const failed = errorOf(agent.wire.request({ ...list, timeoutMs: 500, onResponse, note: 'with a note' }));
    await vi.advanceTimersByTimeAsync(500);
    vi.useRealTimers();
    expect(await failed).toMatchObject({
      code: 'timeout',
      message:
        "the agent (fake-agent) did not answer session/list within 500 ms (with a note); the agent's process was still running",
      facts: { timeoutMs: 500 },
    });
    await agent.respond(0, {});
    expect(onResponse).not.toHaveBeenCalled();
    expect(agent.log).toEqual([expect.stringContaining('noise unknown-response')]);
  });

  test('that is aborted fails with the reason as its cause, and leaves no listener', async () => {
    const agent = new FakeAgent();
    const controller = new AbortController();
    const added = vi.spyOn(controller.signal, 'addEventListener');
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const failed = errorOf(agent.wire.request({ ...list, signal: controller.signal }));
    const reason = new Error('enough');
    controller.abort(reason);
    const error = await failed;
    expect(error).toMatchObject({ code: 'aborted' });
    expect(error.cause).toBe(reason);
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
    const late = await errorOf(agent.wire.request({ ...list, signal: controller.signal }));
    expect(late).toMatchObject({ code: 'aborted' });
  });

  test('that was answered leaves no listener on its signal', async () => {
    const agent = new FakeAgent();
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const request = agent.wire.request({ ...list, signal });
    await agent.read();
    await agent.respond(0, {});
    await request;
    expect(added).toHaveBeenCalledTimes(1);
    expect(removed).toHaveBeenCalledTimes(1);
  });

  test('ends when another sign says how it will', async () => {
    const agent = new FakeAgent();
    const sign = new AcpLauncherError('request-failed', 'stderr says so', { phase: 'session' });
    expect(await errorOf(agent.wire.request({ ...list, watch: Promise.reject(sign) }))).toBe(sign);
  });
});

describe('the end of the agent', () => {
  test('B34 rejects what waits, with the exit and the last lines of stderr', async () => {
    const agent = new FakeAgent();
    const failed = errorOf(agent.wire.request(promptOf('s')));
    agent.stderr.write(Buffer.from('first\nout of memory\n'));
    agent.end({ exitCode: null, exitSignal: 'SIGKILL' });
    agent.stdout.end();
    const error = await failed;
    expect(error).toMatchObject({
      code: 'agent-exited',
      phase: 'prompt',
      facts: {
        exitCode: null,
        exitSignal: 'SIGKILL',
        method: 'session/prompt',
        sessionId: 's',
        agentAlive: false,
      },
    });
    expect(error.message).toMatch(/was ended by SIGKILL during session\/prompt.*\n.*out of memory/s);
    await agent.wire.closed;
    expect(await errorOf(agent.wire.request(list))).toMatchObject({
      code: 'agent-exited',
      facts: { method: 'session/list' },
    });
    expect(agent.wire.ended).toBe(true);
  });

  test('B34 an answer that is in the pipe when the agent has gone still counts', async () => {
    const agent = new FakeAgent();
    const request = watch(agent.wire.request(list));
    await agent.read();
    agent.end();
    agent.stdout.end(`${JSON.stringify({ jsonrpc: '2.0', id: 0, result: { late: true } })}\n`);
    await agent.wire.closed;
    await settle();
    expect(request.outcome).toEqual({ late: true });
  });

  test('B34 is waited for a moment when the pipe ends first', async () => {
    const agent = new FakeAgent();
    const failed = errorOf(agent.wire.request(list));
    agent.stdout.end();
    await settle();
    agent.end({ exitCode: 3, exitSignal: null });
    expect(await failed).toMatchObject({ code: 'agent-exited', facts: { exitCode: 3 } });
  });

  test('B34 a pipe that ends under a living agent ends the connection too', async () => {
    const agent = new FakeAgent();
    const failed = errorOf(agent.wire.request(list));
    agent.stdout.end();
    const error = await failed;
    expect(error).toMatchObject({ code: 'agent-exited', facts: { exitCode: undefined, agentAlive: true } });
    expect(error.message).toContain('closed its stdout during session/list');
  });

  test('X05 is not waited for longer when a stranger holds the pipe', async () => {
    const agent = new FakeAgent();
    const failed = errorOf(agent.wire.request(list));
    agent.end({ exitCode: 0, exitSignal: null });
    expect(await failed).toMatchObject({ code: 'agent-exited', facts: { exitCode: 0 } });
  });

  test('a line that is too long ends the connection, and what waits learns why', async () => {
    const agent = new FakeAgent({ maxLineBytes: 100 });
    const failed = errorOf(agent.wire.request(promptOf('s')));
    await agent.read();
    await agent.write('x'.repeat(101));
    expect(await failed).toMatchObject({ code: 'line-too-long', facts: { sessionId: 's' } });
    await agent.wire.closed;
  });

  test('what waits when the connection is closed learns that, and nothing of the parameters is in it', async () => {
    const agent = new FakeAgent();
    const params = { mcpServers: [{ env: [{ name: 'KEY', value: 'secret' }] }] };
    const failed = errorOf(agent.wire.request({ ...list, params }));
    agent.wire.close();
    agent.wire.close();
    const error = await failed;
    expect(error.code).toBe('closed');
    expect(JSON.stringify(error)).not.toContain('secret');
    expect(JSON.stringify(await errorOf(agent.wire.request({ ...list, params })))).not.toContain('secret');
  });

  test('a notification to an agent that is gone does nothing', async () => {
    const agent = new FakeAgent();
    agent.wire.close();
    await agent.wire.notify('session/cancel', { sessionId: 's' });
    expect(await agent.read()).toEqual([]);
  });
});

describe('the pipe', () => {
  const reader = { sessionId: 's' };

  test.each(['session/prompt', 'session/load', 'session/resume'])(
    'is held for a slow reader while only its own %s waits',
    async (method) => {
      const agent = new FakeAgent();
      void agent.wire.request({ ...promptOf('s'), method }).catch(() => undefined);
      await agent.read();
      agent.wire.pauseFor(reader);
      expect(agent.stdout.isPaused()).toBe(true);
      agent.wire.resumeFor(reader);
      expect(agent.stdout.isPaused()).toBe(false);
      agent.wire.close();
    },
  );

  test.each<[string, WireRequest]>([
    ['a short request', list],
    ['the prompt of another session', promptOf('other')],
  ])('is not held while %s waits as well', async (_what, request) => {
    const agent = new FakeAgent();
    void agent.wire.request(promptOf('s')).catch(() => undefined);
    await agent.read();
    agent.wire.pauseFor(reader);
    const other = agent.wire.request(request);
    await agent.read();
    expect(agent.stdout.isPaused()).toBe(false);
    await agent.respond(1, {});
    await other;
    expect(agent.stdout.isPaused()).toBe(true);
    agent.wire.close();
  });

  test('is not held while the answer to that prompt is waited for, since it was cancelled', async () => {
    const agent = new FakeAgent();
    const prompt = promptOf('s');
    void agent.wire.request(prompt).catch(() => undefined);
    await agent.read();
    agent.wire.pauseFor(reader);
    agent.wire.awaitAnswer(prompt.params);
    expect(agent.stdout.isPaused()).toBe(false);
    await agent.respond(0, { stopReason: 'cancelled' });
    expect(agent.stdout.isPaused()).toBe(true);
    agent.wire.close();
  });

  test('is not held for a request that was given up', async () => {
    const agent = new FakeAgent();
    void agent.wire.request(promptOf('s')).catch(() => undefined);
    const params = {};
    void agent.wire.request({ ...list, params }).catch(() => undefined);
    await agent.read();
    agent.wire.pauseFor(reader);
    expect(agent.stdout.isPaused()).toBe(false);
    agent.wire.giveUp(params);
    expect(agent.stdout.isPaused()).toBe(true);
    agent.wire.close();
  });

  test('is held until the last of its slow readers goes on', async () => {
    const agent = new FakeAgent();
    const other = { sessionId: 's' };
    agent.wire.pauseFor(reader);
    agent.wire.pauseFor(other);
    agent.wire.resumeFor(reader);
    agent.wire.resumeFor(reader);
    expect(agent.stdout.isPaused()).toBe(true);
    agent.wire.resumeFor(other);
    expect(agent.stdout.isPaused()).toBe(false);
    agent.wire.close();
    await settle();
  });

  test('is not held any more when the agent has gone', () => {
    const agent = new FakeAgent();
    agent.end();
    agent.wire.pauseFor(reader);
    expect(agent.stdout.isPaused()).toBe(false);
    agent.wire.close();
  });

  test('is read to its end when the agent has gone, whoever is slow', async () => {
    const agent = new FakeAgent();
    const request = watch(agent.wire.request(promptOf('s')));
    await agent.read();
    agent.wire.pauseFor(reader);
    agent.stdout.end(`${JSON.stringify({ jsonrpc: '2.0', id: 0, result: { stopReason: 'end_turn' } })}\n`);
    agent.end();
    await agent.wire.closed;
    await settle();
    expect(request.outcome).toEqual({ stopReason: 'end_turn' });
  });
});
