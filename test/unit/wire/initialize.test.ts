import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { initialize, libraryVersion } from '../../../src/wire/initialize.ts';
import { FakeAgent } from './fake-agent.ts';

const capabilities = { fs: { readTextFile: true } };

async function introduce(result: unknown) {
  const agent = new FakeAgent();
  const initialized = initialize(agent.wire, { capabilities, timeoutMs: 0 });
  initialized.catch(() => undefined);
  const sent = await agent.read();
  await agent.respond(0, result);
  return { agent, initialized, sent };
}

test('one request, with the protocol version as a number', async () => {
  const { agent, initialized, sent } = await introduce({ protocolVersion: 1, agentCapabilities: {} });
  expect(sent).toEqual([
    {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: 1,
        clientCapabilities: capabilities,
        clientInfo: { name: 'acp-launcher', title: 'acp-launcher', version: libraryVersion },
      },
    },
  ]);
  expect(await initialized).toEqual({ protocolVersion: 1, agentCapabilities: {} });
  expect(agent.wire.authMethods).toEqual([]);
});

test('the version is that of the package', () => {
  const file = new URL('../../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  expect(libraryVersion).toBe(version);
});

describe('B08 another protocol version', () => {
  test.each([
    [{ protocolVersion: 2 }, '2'],
    [{ protocolVersion: '1' }, '"1"'],
    [{ protocolVersion: 0 }, '0'],
    [{ protocolVersion: null }, 'null'],
    [{}, 'nothing'],
    [null, 'nothing'],
  ])('%j is an error that names both, and nothing else is sent', async (result, shown) => {
    const { agent, initialized } = await introduce(result);
    await expect(initialized).rejects.toMatchObject({
      code: 'protocol-version',
      phase: 'initialize',
      message: `the agent selected protocol version ${shown}, this library speaks 1`,
    });
    expect(await agent.read()).toEqual([]);
  });
});

test('B09 the authentication methods are known by their ids, whatever else is among them', async () => {
  const authMethods = [{ id: 'api-key', name: 'Key' }, null, {}, { id: 7 }, 'login', { id: 'login' }];
  const { agent, initialized } = await introduce({ protocolVersion: 1, authMethods });
  await initialized;
  expect(agent.wire.authMethods).toEqual(['api-key', 'login']);
});
