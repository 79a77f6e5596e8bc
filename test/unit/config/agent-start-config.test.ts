import { describe, expect, expectTypeOf, it, test } from 'vitest';
import { AgentStartConfig, type AgentStartConfigInput } from '../../../src/config/agent-start-config.ts';
import { configError, invalid, refusal } from './config-error.ts';

const meta = (input?: AgentStartConfigInput) => new AgentStartConfig(input).buildMeta();
/** What untyped callers may pass. */
const untyped = (input: unknown) => new AgentStartConfig(input as AgentStartConfigInput);

describe('buildMeta', () => {
  it('builds the resume structure (seed)', () => {
    expect(meta({ resumeSessionId: 'abc-123' })).toStrictEqual({
      claudeCode: { options: { resume: 'abc-123' } },
    });
  });

  it('has no claudeCode key without a resume (seed)', () => {
    expect(meta({ systemPrompt: 'Be brief.' })).toStrictEqual({ systemPrompt: { append: 'Be brief.' } });
  });

  test.each<[string, AgentStartConfigInput | undefined, unknown]>([
    ['nothing at all', undefined, undefined],
    ['an empty object', {}, undefined],
    ['empty parts', { extraMeta: {}, claudeCodeOptions: {}, systemPrompt: '' }, undefined],
    ['fields that are not sent', { serviceType: 'chat', additionalDirectories: [] }, undefined],
    [
      'prompt and resume',
      { systemPrompt: 'P', resumeSessionId: 'r' },
      { systemPrompt: { append: 'P' }, claudeCode: { options: { resume: 'r' } } },
    ],
    [
      'claudeCodeOptions alone',
      { claudeCodeOptions: { settingSources: ['project'] } },
      { claudeCode: { options: { settingSources: ['project'] } } },
    ],
    [
      'claudeCodeOptions and a resume',
      { claudeCodeOptions: { settingSources: ['project'] }, resumeSessionId: 'r' },
      { claudeCode: { options: { settingSources: ['project'], resume: 'r' } } },
    ],
    ['extraMeta alone', { extraMeta: { traceId: 7 } }, { traceId: 7 }],
    [
      'siblings at every level survive a resume',
      { extraMeta: { claudeCode: { options: { x: 1 }, emitRaw: true }, other: [] }, resumeSessionId: 'r' },
      { claudeCode: { options: { x: 1, resume: 'r' }, emitRaw: true }, other: [] },
    ],
    [
      'claudeCodeOptions over extraMeta, deeply',
      {
        extraMeta: { claudeCode: { options: { a: { kept: 1, taken: 1 } } } },
        claudeCodeOptions: { a: { taken: 2 } },
      },
      { claudeCode: { options: { a: { kept: 1, taken: 2 } } } },
    ],
    [
      'extraMeta never overwrites the prompt',
      { extraMeta: { systemPrompt: { append: 'theirs', preset: 'p' } }, systemPrompt: 'ours' },
      { systemPrompt: { append: 'ours', preset: 'p' } },
    ],
    [
      'an extraMeta of another shape gives way',
      { extraMeta: { systemPrompt: 'text', claudeCode: null }, systemPrompt: 'P', resumeSessionId: 'r' },
      { systemPrompt: { append: 'P' }, claudeCode: { options: { resume: 'r' } } },
    ],
  ])('%s', (_, input, expected) => {
    expect(meta(input)).toStrictEqual(expected);
  });

  it('gives a new object each time, and never the configuration itself', () => {
    const config = new AgentStartConfig({ extraMeta: { a: 1 }, systemPrompt: 'P' });
    const first = config.buildMeta()!;
    first['a'] = 2;
    (first['systemPrompt'] as Record<string, unknown>)['append'] = 'changed';
    expect(config.buildMeta()).toStrictEqual({ a: 1, systemPrompt: { append: 'P' } });
  });

  it('is not led astray by keys of Object.prototype', () => {
    const hostile = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"a":1},"toString":{"b":1}}',
    ) as object;
    const config = untyped({ extraMeta: hostile, claudeCodeOptions: hostile, resumeSessionId: 'r' });
    const built = config.buildMeta();
    expect(JSON.stringify(built)).toBe(
      '{"constructor":{"a":1},"toString":{"b":1},"claudeCode":{"options":{"constructor":{"a":1},"toString":{"b":1},"resume":"r"}}}',
    );
    expect({}).not.toHaveProperty('polluted');
    expect(built).not.toHaveProperty('polluted');
    expect(config.extraMeta).not.toHaveProperty('polluted');
  });
});

describe('immutability', () => {
  const input = {
    systemPrompt: 'P',
    resumeSessionId: 'r',
    mcpServers: [{ name: 'm', command: 'c', args: ['a'], env: { A: '1' } }],
    claudeCodeOptions: { nested: { list: [1] } },
    extraMeta: { nested: { list: [1] } },
    additionalDirectories: ['/a'],
    agentServer: { agentId: 'x', command: 'c', args: ['a'], env: { A: '1' } },
    serviceType: 'chat',
  };

  it('is deeply frozen', () => {
    const isDeeplyFrozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen));
    expect(isDeeplyFrozen(new AgentStartConfig(input))).toBe(true);
  });

  it('does not change when what it was made from does, and does not freeze that', () => {
    const mine = structuredClone(input);
    const config = new AgentStartConfig(mine);
    const before = JSON.stringify(config);
    mine.mcpServers[0]!.args.push('b');
    mine.claudeCodeOptions.nested.list.push(2);
    mine.extraMeta.nested.list.push(2);
    mine.additionalDirectories.push('/b');
    mine.agentServer.env.A = '2';
    expect(JSON.stringify(config)).toBe(before);
  });

  it('withoutResume, withoutMcpServers and withResume change one field and keep the rest', () => {
    const config = new AgentStartConfig(input);
    const without = (key: string) =>
      Object.fromEntries(Object.entries(input).filter(([name]) => name !== key));
    expect(config.withoutResume()).toStrictEqual(untyped(without('resumeSessionId')));
    expect(config.withoutMcpServers()).toStrictEqual(untyped(without('mcpServers')));
    expect(config.withResume('s')).toStrictEqual(new AgentStartConfig({ ...input, resumeSessionId: 's' }));
    expect(config).toStrictEqual(new AgentStartConfig(input));
  });

  it('accepts another AgentStartConfig', () => {
    const config = new AgentStartConfig(input);
    expect(new AgentStartConfig(config)).toStrictEqual(config);
    expectTypeOf<AgentStartConfig>().toExtend<AgentStartConfigInput>();
  });

  it('X17: keeps left-out and empty additionalDirectories apart', () => {
    expect(new AgentStartConfig({}).additionalDirectories).toBeUndefined();
    expect(new AgentStartConfig({ additionalDirectories: [] }).withResume('r').additionalDirectories).toEqual(
      [],
    );
    expect(new AgentStartConfig({ additionalDirectories: ['/a/../b/'] }).additionalDirectories).toEqual([
      '/b',
    ]);
  });

  it('B67: mcpServers is an array even where none was given', () => {
    expect(new AgentStartConfig().mcpServers).toEqual([]);
  });
});

describe('validation names the field', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  test.each<[string, unknown]>([
    ['startConfig', null],
    ['startConfig', 'text'],
    ['resumeSesionId', { resumeSesionId: 'a typing error must not lose a conversation' }],
    ['systemPrompt', { systemPrompt: 5 }],
    ['resumeSessionId', { resumeSessionId: '' }],
    ['resumeSessionId', { resumeSessionId: '  ' }],
    ['resumeSessionId', { resumeSessionId: null }],
    ['serviceType', { serviceType: 1 }],
    ['additionalDirectories', { additionalDirectories: '/a' }],
    ['additionalDirectories[1]', { additionalDirectories: ['/a', 'b'] }],
    ['additionalDirectories[0]', { additionalDirectories: ['/a\0'] }],
    ['mcpServers[1].command', { mcpServers: [{ name: 'a', command: 'x' }, { name: 'b' }] }],
    ['mcpServers', { mcpServers: null }],
    ['agentServer.command', { agentServer: { command: ' ' } }],
    ['agentServer.args[0]', { agentServer: { command: 'x', args: [1] } }],
    ['agentServer.env.A', { agentServer: { command: 'x', env: { A: 1 } } }],
    ['agentServer.cmd', { agentServer: { command: 'x', cmd: 'y' } }],
    ['extraMeta', { extraMeta: [] }],
    ['extraMeta.a[0].b', { extraMeta: { a: [{ b: () => 1 }] } }],
    ['extraMeta.a', { extraMeta: { a: Number.NaN } }],
    ['extraMeta.a', { extraMeta: { a: new Map() } }],
    ['claudeCodeOptions', { claudeCodeOptions: 'x' }],
    ['claudeCodeOptions.a', { claudeCodeOptions: { a: 1n } }],
    ['claudeCodeOptions.resume', { claudeCodeOptions: { resume: 'r' } }],
    ['claudeCodeOptions.continue', { claudeCodeOptions: { continue: true } }],
    ['claudeCodeOptions.forkSession', { claudeCodeOptions: { forkSession: false } }],
    ['extraMeta.claudeCode.options.resume', { extraMeta: { claudeCode: { options: { resume: 'r' } } } }],
    ['extraMeta.claudeCode.options.continue', { extraMeta: { claudeCode: { options: { continue: true } } } }],
    [
      'extraMeta.claudeCode.options.forkSession',
      { extraMeta: { claudeCode: { options: { forkSession: true } } } },
    ],
  ])('%s (row %#)', (field, input) => {
    expect(refusal(() => untyped(input))).toEqual(invalid(field));
  });

  it('refuses a cycle instead of overflowing the stack', () => {
    expect(configError(() => untyped({ extraMeta: cyclic })).code).toBe('invalid-config');
  });

  it('withResume refuses an empty id', () => {
    expect(refusal(() => new AgentStartConfig().withResume(''))).toEqual(invalid('resumeSessionId'));
  });

  it('says what is wrong in words, and repeats no value', () => {
    const { message } = configError(() =>
      untyped({ mcpServers: [{ name: 'a', command: 'x', env: { KEY: ['s3cret-value'] } }] }),
    );
    expect(message).toBe('mcpServers[0].env.KEY: expected string, received array');
    expect(configError(() => untyped({ systemPrompt: 1, serviceType: 2 })).message).toBe(
      'systemPrompt: expected string, received number; serviceType: expected string, received number',
    );
  });
});
