import { describe, expect, it, vi } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import { SessionManager } from '../../../src/index.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';

const harness = managerHarness();
const provider = { id: 'p', name: 'P', baseUrl: '', apiKey: '', defaultModel: 'm' };

describe('a request with a wrong field', () => {
  it.each<[field: string, change: object]>([
    ['projectId', { projectId: 7 }],
    ['projectId', { projectId: '' }],
    ['projectPath', { projectPath: undefined }],
    ['projectPath', { projectPath: '' }],
    ['projectPath', { projectPath: new URL('file:///tmp') }],
    ['prompt', { prompt: undefined }],
    ['prompt', { prompt: 5 }],
    ['prompt', { prompt: [] }],
    ['prompt[0]', { prompt: ['Hello'] }],
    ['prompt[0].type', { prompt: [{ type: 'video' }] }],
    ['prompt[1].text', { prompt: [{ type: 'text', text: 'a' }, { type: 'text' }] }],
    ['sessionId', { sessionId: '' }],
    ['sessionId', { sessionId: null }],
    ['sessionId', { sessionId: 5 }],
    ['newSession', { newSession: 'x' }],
    ['newSession', { newSession: null }],
    ['evenDuringTurn', { evenDuringTurn: 1 }],
    ['requestId', { requestId: 5 }],
    ['systemPrompt', { systemPrompt: { append: 'x' } }],
    ['systemPrompt', { systemPrompt: null }],
    ['modelProvider', { modelProvider: null }],
    ['modelProvider', { modelProvider: 'gpt' }],
    ['modelProvider.defaultModel', { modelProvider: { ...provider, defaultModel: 5 } }],
    ['mcpServers', { mcpServers: null }],
    ['mcpServers', { mcpServers: 'x' }],
    ['mcpServers[1]', { mcpServers: [{ name: 'a', command: 'a' }, null] }],
    ['mcpServers[0].command', { mcpServers: [{ name: 'x' }] }],
    ['agentServer', { agentServer: null }],
    ['agentServer', { agentServer: 'claude-code' }],
    ['agentServer.args[0]', { agentServer: { command: 'x', args: [5] } }],
    ['startConfig', { startConfig: 'x' }],
    ['startConfig', { startConfig: null }],
    ['startConfig.resumeSessionId', { startConfig: { resumeSessionId: 'x' } }],
    ['serviceType', { startConfig: { serviceType: 5 } }],
    ['claudeCodeOptions.resume', { startConfig: { claudeCodeOptions: { resume: 'x' } } }],
    ['client', { client: null }],
    ['client.readTextFile', { client: { readTextFile: true } }],
    ['signal', { signal: {} }],
    ['signal', { signal: null }],
    ['attachments', { attachments: 'note.md' }],
    ['attachments', { attachments: null }],
    ['attachments[1]', { attachments: [{ path: 'a' }, 'note.md'] }],
    ['attachments[0].path', { attachments: [{}] }],
    ['attachments[0].path', { attachments: [{ path: 5 }] }],
    ['attachments[0].paths', { attachments: [{ paths: 'a' }] }],
    ['attachments[0].as', { attachments: [{ path: 'a', as: 'image' }] }],
    ['attachments[0].maxBytes', { attachments: [{ path: 'a', maxBytes: '5' }] }],
    ['attachments[0].data', { attachments: [{ data: 'text', name: 'a' }] }],
    ['attachments[0].data', { attachments: [{ data: {}, name: 'a' }] }],
    ['attachments[0].name', { attachments: [{ data: new Uint8Array() }] }],
    ['attachments[0].maxBytes', { attachments: [{ path: 'a', maxBytes: -1 }] }],
    ['attachments[0].name', { attachments: [{ path: 'a', name: 'b' }] }],
    ['attachments[0].as', { attachments: [{ data: new Uint8Array(), name: 'a', as: 'embed' }] }],
    ['attachments[0].path', { attachments: [{ data: new Uint8Array(), name: 'a', path: 'b' }] }],
    ['attachments[0].data', { attachments: [{ data: undefined, name: 'a' }] }],
  ])('%s: %o is invalid-config, which names it; nothing is started', async (field, change) => {
    const host = harness.manage(faultyAgent([]));
    const request = { ...harness.request({ prompt: 'Hello' }), ...change };
    await expect(host.manager.prompt(request)).rejects.toMatchObject({
      code: 'invalid-config',
      facts: { field },
    });
    expect([host.spawned, host.manager.list(), host.events]).toEqual([0, [], []]);
  });

  it('is told as well where only the session is asked for', async () => {
    const { manager } = harness.manage(faultyAgent([]));
    const asked = manager.getOrCreate(harness.request({ newSession: 'x' as never }));
    await expect(asked).rejects.toMatchObject({ code: 'invalid-config', facts: { field: 'newSession' } });
    await expect(manager.getOrCreate(null as never)).rejects.toMatchObject({ facts: { field: 'request' } });
    await expect(manager.prompt(undefined as never)).rejects.toMatchObject({ facts: { field: 'request' } });
    await expect(manager.forget(5 as never)).rejects.toMatchObject({ facts: { field: 'projectId' } });
    // These find nothing, and do nothing.
    await manager.stop(5 as never);
    await manager.cancel(5 as never);
    expect([manager.get(5 as never), manager.snapshot()]).toEqual([undefined, []]);
  });

  it('takes no place in the line', async () => {
    const { manager } = harness.manage(faultyAgent([]), { launch: { maxQueuedPrompts: 1 } });
    for (let index = 0; index < 3; index += 1) {
      const wrong = manager.prompt(harness.request({ prompt: 'x', modelProvider: null as never }));
      await expect(wrong).rejects.toMatchObject({ code: 'invalid-config' });
    }
    const { turn } = await manager.prompt(harness.request({ prompt: 'Hello' }));
    expect(await turn.text()).toContain('Hello');
  });
});

describe('a manager with a wrong option', () => {
  const log = vi.fn();
  it.each<[field: string, options: unknown]>([
    ['options', null],
    ['options', 5],
    ['idleTimoutMs', { idleTimoutMs: 5 }],
    ...[
      'maxStartingAgents',
      'maxAgents',
      'idleTimeoutMs',
      'maxCrashes',
      'crashWindowMs',
      'crashBackoffMs',
    ].flatMap((name): [string, unknown][] =>
      ['5', null, NaN, -1].map((value): [string, unknown] => [name, { [name]: value }]),
    ),
    ['maxAgents', { maxAgents: 0 }],
    ['maxStartingAgents', { maxStartingAgents: 1.5 }],
    ['launcher', { launcher: null }],
    ['launcher', { launcher: 'claude-code' }],
    ['inheritEnv', { launcher: { inheritEnv: 'PATH' } }],
    ['client', { client: null }],
    ['client.requestPermission', { client: { requestPermission: true } }],
    ['store', { store: null }],
    ['store', { store: {} }],
    ['store', { store: { get: log, set: log, delete: 5 } }],
    ['logger', { logger: null }],
    ['logger', { logger: 'pino' }],
    ['logger.debug', { logger: {} }],
    ['logger.error', { logger: { debug: log, info: log, warn: log } }],
    ['resumePolicy', { resumePolicy: null }],
    ['resumePolicy', { resumePolicy: 'native' }],
    ['resumePolicy.fallback', { resumePolicy: { fallback: true } }],
    ['resumePolicy.enableFallback', { resumePolicy: { enableFallback: 'no' } }],
    ['resumePolicy.enableFallback', { resumePolicy: { enableFallback: null } }],
    ['resumePolicy.maxRetries', { resumePolicy: { maxRetries: -1 } }],
    ['resumePolicy.maxRetries', { resumePolicy: { maxRetries: 1.5 } }],
    ['resumePolicy.maxRetries', { resumePolicy: { maxRetries: '1' } }],
    ['resumePolicy.preserveMcpServers', { resumePolicy: { preserveMcpServers: 0 } }],
    ['resumePolicy.keywords', { resumePolicy: { keywords: 'session' } }],
    ['resumePolicy.keywords', { resumePolicy: { keywords: ['session'] } }],
    ['resumePolicy.keywords', { resumePolicy: { keywords: [{ pattern: '', kind: 'missing', lookIn: [] }] } }],
    ['resumePolicy.keywords', { resumePolicy: { keywords: [null] } }],
    ['resumePolicy.fallbackOn', { resumePolicy: { fallbackOn: 'missing' } }],
    ['resumePolicy.fallbackOn', { resumePolicy: { fallbackOn: ['gone'] } }],
    ['resumePolicy.classify', { resumePolicy: { classify: 'missing' } }],
    ['resumePolicy.strategy', { resumePolicy: { strategy: 'load' } }],
    ['resumePolicy.strategy', { resumePolicy: { strategy: null } }],
  ])('%s: %o is invalid-config, which names it', (field, options) => {
    expect(() => new SessionManager(options as never)).toThrow(
      expect.objectContaining({ code: 'invalid-config', facts: { field } }) as Error,
    );
  });
});
