import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { acproxyAgent, faultyAgent } from '../../../fixtures/index.ts';
import { approveAll, rejectAll } from '../../../src/client/permissions.ts';
import type { AgentClient } from '../../../src/client/agent-client.ts';
import { managerHarness, type ManagedHost } from '../../helpers/manager-harness.ts';
import { received } from '../../helpers/received.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const harness = managerHarness();
const agent = () => faultyAgent([], { store: harness.store, record: harness.record });
const ask = async (host: ManagedHost, prompt: string, client?: AgentClient) => {
  const { turn } = await host.manager.prompt(harness.request({ prompt, client }));
  return turn.text();
};

describe('what the agent may ask for', () => {
  it("is answered by the request's client, else by the manager's", async () => {
    const host = harness.manage(agent(), { client: { requestPermission: rejectAll() } });
    expect(await ask(host, '/permission')).toContain('id-reject_once');
    expect(await ask(host, '/permission', { requestPermission: approveAll() })).toContain('id-allow_once');
    // An approval is for the request that brought it.
    expect(await ask(host, '/permission')).toContain('id-reject_once');
  });

  it('is refused where neither has a handler', async () => {
    const host = harness.manage(agent());
    expect(await ask(host, '/permission', { requestPermission: approveAll() })).toContain('id-allow_once');
    expect(await ask(host, '/permission')).toContain('id-reject_once');
  });

  it('is answered by the client of the running turn, whoever waits behind it', async () => {
    const host = harness.manage(agent());
    const calls: string[] = [];
    const client = (name: string): AgentClient => ({
      requestPermission: async (request, context) => {
        calls.push(name);
        await new Promise((resolve) => setTimeout(resolve, 100));
        return approveAll()(request, context);
      },
    });
    const first = host.manager.prompt(harness.request({ prompt: '/permission', client: client('first') }));
    const second = host.manager.prompt(harness.request({ prompt: '/permission', client: client('second') }));
    await host.manager.getOrCreate(harness.request({ client: client('third') }));
    await (
      await first
    ).turn.result;
    await (
      await second
    ).turn.result;
    expect(calls).toEqual(['first', 'second']);
  });

  it('also in a turn that is queued in the session itself', async () => {
    const host = harness.manage(agent());
    const { session } = await host.manager.getOrCreate(harness.request());
    const direct = session.prompt('/slow 300');
    const asked = host.manager.prompt(
      harness.request({ prompt: '/permission', client: { requestPermission: approveAll() } }),
    );
    await direct.result;
    expect(await (await asked).turn.text()).toContain('id-allow_once');
  });

  it('is not answered by one who gave up the launch that another one waits for', async () => {
    const host = harness.manage(faultyAgent('delays-at', { at: 'session/new', delayMs: 200 }));
    const controller = new AbortController();
    const { signal } = controller;
    const given = host.manager.getOrCreate(
      harness.request({ client: { requestPermission: approveAll() }, signal }),
    );
    const kept = host.manager.getOrCreate(harness.request({ client: { requestPermission: rejectAll() } }));
    controller.abort();
    await expect(given).rejects.toMatchObject({ code: 'aborted' });
    const { session } = await kept;
    expect(await session.prompt('/permission').text()).toContain('id-reject_once');
    expect(host.spawned).toBe(1);
  });

  it('is what the first client offered: the rest is refused', async () => {
    const host = harness.manage(agent());
    writeFileSync(harness.folder.file('a'), 'hello');
    const reading: AgentClient = { readTextFile: ({ path }) => ({ content: readFileSync(path, 'utf8') }) };
    const path = harness.folder.file('a');
    expect(await ask(host, `/read ${path}`, reading)).toContain('hello');
    expect(received(harness.record, 'initialize')[0]?.params).toMatchObject({
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: false } },
    });
    expect(await ask(host, `/read ${path}`)).toContain('"error"');
    expect(await ask(host, `/write ${path} x`, { ...reading, writeTextFile: () => ({}) })).toContain(
      '"error"',
    );
  });

  it('may be a class, and a handler that throws is told', async () => {
    class Reader {
      readonly #text = 'from a class';
      readTextFile(): { content: string } {
        return { content: this.#text };
      }
      requestPermission(): never {
        throw new Error('a bug');
      }
    }
    const host = harness.manage(agent());
    const client = new Reader() as AgentClient;
    expect(await ask(host, '/read /a', client)).toContain('from a class');
    expect(await ask(host, '/permission', client)).toContain('"error"');
    expect(host.told('listener-error')).toMatchObject([{ error: { message: 'a bug' } }]);
  });

  it('hears its own updates', async () => {
    const host = harness.manage(agent());
    const texts = { first: '', second: '' };
    const listen = (name: keyof typeof texts): AgentClient => ({
      sessionUpdate: ({ update }) => {
        if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
          texts[name] += update.content.text;
      },
    });
    await ask(host, '/echo one', listen('first'));
    await ask(host, '/echo two', listen('second'));
    await ask(host, '/echo three');
    expect(texts).toEqual({ first: 'one', second: 'two' });
  });

  it('hears all of its turn, whoever asks for the session meanwhile', async () => {
    const slow = faultyAgent([], { store: harness.store, chunkSize: 1, chunkDelayMs: 20 });
    const host = harness.manage(slow);
    let [mine, theirs] = [0, 0];
    const client = { sessionUpdate: () => void (mine += 1) };
    const { turn } = await host.manager.prompt(harness.request({ prompt: '/echo 0123456789', client }));
    await waitUntil('the first update', () => mine > 0);
    const other = { sessionUpdate: () => void (theirs += 1) };
    expect((await host.manager.getOrCreate(harness.request({ client: other }))).action).toBe('reused');
    await turn.result;
    expect([mine, theirs]).toEqual([10, 0]);
  });

  it('ends with the session, for each client that was used', async () => {
    const [first, second] = [vi.fn(), vi.fn()];
    const host = harness.manage(agent(), { client: { closeSession: first } });
    await ask(host, 'Hello');
    await ask(host, 'Hello', { closeSession: second });
    await ask(host, 'Hello');
    const { sessionId } = host.manager.get('p1')!;
    await host.manager.stop('p1');
    expect([first.mock.calls, second.mock.calls]).toEqual([[[sessionId]], [[sessionId]]]);
  });
});

describe('a prompt', () => {
  const prompts = () => received(harness.record, 'session/prompt').map(({ params }) => params);

  it('carries its requestId as _meta.request_id', async () => {
    const host = harness.manage(agent());
    const { turn } = await host.manager.prompt(harness.request({ prompt: 'Hello', requestId: 'r-1' }));
    await turn.result;
    expect(prompts()[0]).toMatchObject({ _meta: { request_id: 'r-1' } });
  });

  it('carries it also when it is sent once more', async () => {
    const host = harness.manage(
      faultyAgent('resume-ok-then-prompt-unknown-session', { record: harness.record }),
    );
    const request = { prompt: 'Hello', requestId: 'r-1', sessionId: '11111111-2222-4333-8444-555555555555' };
    const { turn } = await host.manager.prompt(harness.request(request));
    await turn.result;
    expect(prompts().map(({ _meta }) => _meta)).toEqual([{ request_id: 'r-1' }, { request_id: 'r-1' }]);
  });

  it('may be content blocks', async () => {
    const host = harness.manage(agent());
    const prompt = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ] as const;
    await (
      await host.manager.prompt(harness.request({ prompt }))
    ).turn.result;
    expect(prompts()[0]?.['prompt']).toEqual(prompt);
  });

  it('carries attachments behind its text: what the agent takes, links for the rest', async () => {
    const note = harness.folder.file('note.md');
    writeFileSync(note, '# Note');
    const attachments = [{ path: note }];
    const taking = harness.manage(faultyAgent('takes-everything', { record: harness.record }));
    await (
      await taking.manager.prompt(harness.request({ prompt: 'See', attachments }))
    ).turn.result;
    const linking = harness.manage(acproxyAgent({ record: harness.record, chunkDelayMs: 0 }));
    await (
      await linking.manager.prompt(harness.request({ prompt: 'See', attachments }, 'p2'))
    ).turn.result;
    const uri = `file://${note}`;
    expect(prompts().map(({ prompt }) => prompt)).toEqual([
      [
        { type: 'text', text: 'See' },
        { type: 'resource', resource: { uri, mimeType: 'text/markdown', text: '# Note' } },
      ],
      [
        { type: 'text', text: 'See' },
        expect.objectContaining({ type: 'resource_link', uri, name: 'note.md' }),
      ],
    ]);
  });

  it('with data that the agent does not take, or a file that is not there, is an error and sends nothing', async () => {
    const host = harness.manage(agent());
    const data = { data: new Uint8Array([1, 2, 3]), name: 'x.bin' };
    const { turn } = await host.manager.prompt(harness.request({ prompt: 'See', attachments: [data] }));
    await expect(turn.result).rejects.toMatchObject({ code: 'unsupported-content' });
    const missing = harness.request({ prompt: 'See', attachments: [{ path: '/no/such/file' }] });
    await expect(host.manager.prompt(missing)).rejects.toMatchObject({ code: 'invalid-config' });
    expect(prompts()).toEqual([]);
    expect(await ask(host, 'Hello')).toContain('Hello');
  });
});
