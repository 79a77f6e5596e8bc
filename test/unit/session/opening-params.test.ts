import { describe, expect, test } from 'vitest';
import { AgentStartConfig, type AgentStartConfigInput } from '../../../src/config/agent-start-config.ts';
import { openingParams, type OpeningMethod } from '../../../src/session/opening-params.ts';

const methods: readonly OpeningMethod[] = ['session/new', 'session/load', 'session/resume'];

function paramsOf(
  method: OpeningMethod,
  input: AgentStartConfigInput,
  sessionId?: string,
  sessionCapabilities: object = {},
) {
  const config = new AgentStartConfig(input);
  const { mcpServers, additionalDirectories } = config;
  const request = { method, config, mcpServers, additionalDirectories, sessionId, cwd: '/project' };
  return openingParams(request, { sessionCapabilities });
}

describe.each(methods)('%s', (method) => {
  test('B67 always names the directory and an array of MCP servers', () => {
    expect(paramsOf(method, {}, undefined).params).toEqual({ cwd: '/project', mcpServers: [] });
    const mcpServers = [{ name: 'a', command: '/bin/a', args: [], env: [] }];
    expect(paramsOf(method, { mcpServers }).params.mcpServers).toEqual(mcpServers);
  });

  test('X17 sends additional directories only where they are advertised and set', () => {
    const advertised = { additionalDirectories: {} };
    const directories = { additionalDirectories: ['/a', '/b'] };
    expect(paramsOf(method, directories, 's', advertised)).toMatchObject({
      params: directories,
      notSent: [],
    });
    expect(paramsOf(method, { additionalDirectories: [] }, 's', advertised).params).toMatchObject({
      additionalDirectories: [],
    });
    expect(paramsOf(method, {}, 's', advertised)).toMatchObject({ notSent: [] });
    expect(paramsOf(method, {}, 's', advertised).params).not.toHaveProperty('additionalDirectories');
    const refused = paramsOf(method, directories, 's');
    expect(refused.params).not.toHaveProperty('additionalDirectories');
    expect(refused.notSent).toEqual(['additionalDirectories']);
    const denied = paramsOf(method, directories, 's', { additionalDirectories: false });
    expect(denied.params).not.toHaveProperty('additionalDirectories');
  });

  test('sends the system prompt in _meta, and at the top level as well where that is advertised', () => {
    const inMeta = { _meta: { systemPrompt: { append: 'be kind' } } };
    expect(paramsOf(method, { systemPrompt: 'be kind' }).params).toEqual({
      cwd: '/project',
      mcpServers: [],
      ...inMeta,
    });
    expect(paramsOf(method, { systemPrompt: 'be kind' }, undefined, { systemPrompt: {} }).params).toEqual({
      cwd: '/project',
      mcpServers: [],
      systemPrompt: { mode: 'append', content: [{ type: 'text', text: 'be kind' }] },
      ...inMeta,
    });
  });
});

describe('the session to go on with', () => {
  const config = { resumeSessionId: 'old', claudeCodeOptions: { settingSources: ['project'] } };

  test('travels in _meta with session/new', () => {
    expect(paramsOf('session/new', config, 'old').params).toEqual({
      cwd: '/project',
      mcpServers: [],
      _meta: { claudeCode: { options: { settingSources: ['project'], resume: 'old' } } },
    });
  });

  test.each(['session/load', 'session/resume'] as const)(
    'is a parameter of %s and stands nowhere else',
    (method) => {
      expect(paramsOf(method, config, 'old').params).toEqual({
        sessionId: 'old',
        cwd: '/project',
        mcpServers: [],
        _meta: { claudeCode: { options: { settingSources: ['project'] } } },
      });
    },
  );
});
