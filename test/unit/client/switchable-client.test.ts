import { describe, expect, it, vi } from 'vitest';
import type { AgentClient } from '../../../src/client/agent-client.ts';
import { mergeClients, switchableClient } from '../../../src/client/switchable-client.ts';

const context = { signal: new AbortController().signal };
const permission = {
  sessionId: 's',
  toolCall: { toolCallId: 'c' },
  options: [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' as const },
    { optionId: 'no', name: 'No', kind: 'reject_once' as const },
  ],
};
const allow = { outcome: { outcome: 'selected', optionId: 'yes' } } as const;
const reject = { outcome: { outcome: 'selected', optionId: 'no' } } as const;

class ClientOfClass {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  readTextFile() {
    return { content: this.#text };
  }
}
const reading = (text: string) => new ClientOfClass(text) as AgentClient;
const read = (client: AgentClient) => client.readTextFile?.({ sessionId: 's', path: '/a' }, context);

describe('mergeClients', () => {
  it("takes a request's handlers, and the manager's where it has none, with their own `this`", async () => {
    const base: AgentClient = {
      ...{ requestPermission: () => allow },
      readTextFile: () => ({ content: 'base' }),
    };
    const merged = mergeClients(base, reading('over'));
    expect(await read(merged)).toEqual({ content: 'over' });
    expect(await merged.requestPermission?.(permission, context)).toEqual(allow);
    expect(await read(mergeClients(reading('base'), {}))).toEqual({ content: 'base' });
    expect(mergeClients(base, undefined)).toBe(base);
  });
});

describe('switchableClient', () => {
  it('offers what the first one offers, and what promises nothing', () => {
    const { client } = switchableClient(reading('a'));
    expect(Object.keys(client).sort()).toEqual([
      'closeSession',
      'extMethod',
      'extNotification',
      'readTextFile',
      'requestPermission',
      'sessionUpdate',
    ]);
  });

  it('passes on to the one in use', async () => {
    const switchable = switchableClient(reading('a'));
    expect(await read(switchable.client)).toEqual({ content: 'a' });
    switchable.use(reading('b'));
    expect(await read(switchable.client)).toEqual({ content: 'b' });
  });

  it('refuses what the one in use can not serve, also where another one could', async () => {
    const switchable = switchableClient({
      ...reading('a'),
      readTextFile: () => ({ content: 'a' }),
      requestPermission: () => allow,
    });
    expect(await switchable.client.requestPermission?.(permission, context)).toEqual(allow);
    switchable.use({});
    expect(await switchable.client.requestPermission?.(permission, context)).toEqual(reject);
    expect(() => read(switchable.client)).toThrow(expect.objectContaining({ rpcCode: -32602 }) as Error);
    expect(switchable.client.extMethod?.('x', {}, context)).toBeUndefined();
  });

  it('tells updates to the one in use alone', () => {
    const [first, second] = [vi.fn(), vi.fn()];
    const switchable = switchableClient({});
    const update = { sessionId: 's', update: { sessionUpdate: 'plan', entries: [] } } as const;
    switchable.client.sessionUpdate?.(update as never, { phase: 'turn' });
    switchable.use({ sessionUpdate: first });
    switchable.client.sessionUpdate?.(update as never, { phase: 'turn' });
    switchable.use({ sessionUpdate: second });
    switchable.client.sessionUpdate?.(update as never, { phase: 'turn' });
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1]);
  });

  it('ends the session with every client that was used, each once', async () => {
    const [manager, request, broken] = [vi.fn(), vi.fn(), vi.fn(() => Promise.reject(new Error('no')))];
    const base = { closeSession: manager };
    const switchable = switchableClient(mergeClients(base, {}));
    for (let index = 0; index < 3; index += 1)
      switchable.use(mergeClients(base, { requestPermission: () => allow }));
    switchable.use({ closeSession: request });
    switchable.use({});
    await switchable.client.closeSession?.('s');
    expect([manager.mock.calls, request.mock.calls]).toEqual([[['s']], [['s']]]);
    switchable.use({ closeSession: broken });
    await expect(switchable.client.closeSession?.('s')).rejects.toThrow('no');
    expect(request).toHaveBeenCalledTimes(2);
  });
});
