import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { resumeFailures } from '../../../fixtures/acproxy/resume-failures.ts';
import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';
import { errorCodes, type ErrorCode, type Phase } from '../../../src/errors/error-codes.ts';
import { classifyResumeFailure } from '../../../src/session/classify-resume-failure.ts';
import { defaultResumeKeywords } from '../../../src/session/resume-keywords.ts';
import { answered, otherId, sessionId, unanswered } from './failed-resume.ts';

const classify = (attempt: Parameters<typeof classifyResumeFailure>[0]) =>
  classifyResumeFailure(attempt, defaultResumeKeywords);

/** What the verdict comes to, and what it rests on. */
function judge(attempt: Parameters<typeof classifyResumeFailure>[0]) {
  const verdict = classify(attempt);
  return [verdict.action === 'throw' ? 'throw' : verdict.kind, verdict.evidence.source];
}

const internal = (details: unknown) => ({ code: -32603, message: 'Internal error', data: { details } });

/** Every shape of the fixture, at session/new with `_meta…resume` and at the native methods. */
const shapes: Record<keyof typeof resumeFailures, [meta: [string, string], native?: [string, string]]> = {
  'no-conversation-found': [['missing', 'data']],
  'stderr-only': [['missing', 'stderr']],
  'stderr-only-not-an-id': [['missing', 'stderr']],
  'query-closed': [['unproven', 'data']],
  'query-closed-with-stderr': [['missing', 'stderr']],
  'resource-not-found-uri': [['missing', 'code']],
  'resource-not-found-session-id': [['missing', 'code']],
  'resource-not-found-bare': [['missing', 'code']],
  'resource-not-found-generic-uri': [['missing', 'code']],
  'resource-not-found-session-uri': [['missing', 'code']],
  'resource-not-found-sentence': [['missing', 'message']],
  'another-resource-not-found': [['throw', 'code']],
  'not-an-id': [['missing', 'data']],
  'session-not-found-details': [['missing', 'data']],
  'session-id-not-found-details': [['missing', 'data']],
  'session-not-found-string': [['missing', 'data']],
  'session-not-found-array': [['missing', 'data']],
  'session-not-found-nested': [['missing', 'data']],
  'no-rollout-found': [['missing', 'data']],
  'invalid-session-id': [['missing', 'data']],
  'invalid-session-identifier': [['missing', 'data']],
  'no-previous-sessions': [['missing', 'data']],
  'service-failure': [['unproven', 'data']],
  'unknown-session-id-string': [['missing', 'data']],
  'unknown-session-id-message': [['missing', 'message']],
  'invalid-params-session-not-found': [['missing', 'data']],
  'method-not-found': [
    ['unproven', 'message'],
    ['unsupported', 'code'],
  ],
  'invalid-params': [
    ['unproven', 'message'],
    ['unsupported', 'code'],
  ],
  enoent: [['missing', 'data']],
  'enoent-elsewhere': [['unproven', 'data']],
  'open-in-another-process': [['locked', 'data']],
  locked: [['locked', 'data']],
  'process-exited': [['unproven', 'data']],
  'session-creation-failed': [['unproven', 'data']],
  'auth-required': [['throw', 'code']],
  'mcp-server-failed': [['throw', 'message']],
  'invalid-cwd': [['throw', 'message']],
  'empty-data': [['unproven', 'message']],
  'empty-data-with-stderr': [['missing', 'stderr']],
  exit: [['missing', 'stderr']],
  'exit-silently': [['unproven', 'exit']],
  hang: [['timeout', 'timeout']],
};

describe('B10–B13, X03: the shapes of the fixture', () => {
  test.each(Object.entries(shapes))('%s', (name, [meta, native = meta]) => {
    const failure: { error?: object; stderr?: string; exitCode?: number } =
      resumeFailures[name as keyof typeof resumeFailures](sessionId);
    const stderrLines = failure.stderr === undefined ? [] : [failure.stderr];
    const attemptWith = (method: string) => {
      if (failure.error !== undefined) return answered(failure.error as never, { method, stderrLines });
      return unanswered(failure.exitCode === undefined ? 'timeout' : 'agent-exited', stderrLines);
    };
    expect(judge(attemptWith('session/new'))).toEqual(meta);
    expect(judge(attemptWith('session/resume'))).toEqual(native);
    expect(judge(attemptWith('session/load'))).toEqual(native);
  });
});

describe('what real agents answered', () => {
  const notAUuid =
    'Claude Code returned an error result: Error: --resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume <session-id|title>. Provided value "not-a-uuid" is not a UUID and does not match any session title.';
  test.each<[string, { code: number; message: string; data?: unknown }, string, string]>([
    ['claude 0.16.2', internal('Query closed before response received'), 'session/new', 'unproven'],
    [
      'claude 0.23.1',
      { code: -32002, message: `Resource not found: ${sessionId}`, data: { uri: sessionId } },
      'session/new',
      'missing',
    ],
    ['claude 0.31.0, a title', internal(notAUuid), 'session/new', 'missing'],
    [
      'claude 0.101.0',
      { code: -32002, message: 'Resource not found', data: { sessionId } },
      'session/new',
      'missing',
    ],
    [
      'claude 0.12.6 load',
      { code: -32601, message: '"Method not found": session/load' },
      'session/load',
      'unsupported',
    ],
    ['claude 0.16.2 load', internal('Session not found'), 'session/load', 'missing'],
    ['zed codex 0.16.0', { code: -32002, message: 'Resource not found' }, 'session/load', 'missing'],
    ['codex-acp 2.6.0', internal(`no rollout found for thread id ${sessionId}`), 'session/resume', 'missing'],
    [
      'codex-acp 2.6.0, a bad id',
      internal(
        'invalid session id: invalid character: expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-], found `n` at 1',
      ),
      'session/load',
      'missing',
    ],
    [
      'gemini',
      internal(
        `Invalid session identifier "${sessionId}".\n  Searched for sessions in /home/u/.gemini/tmp/abc/chats.`,
      ),
      'session/load',
      'missing',
    ],
    [
      'gemini, an empty project',
      internal('No previous sessions found for this project.'),
      'session/load',
      'missing',
    ],
    [
      'qwen',
      {
        code: -32002,
        message: `Resource not found: session:${sessionId}`,
        data: { uri: `session:${sessionId}` },
      },
      'session/load',
      'missing',
    ],
    [
      'opencode',
      { code: -32603, message: 'Internal error: OpenCode service failure', data: { service: 'session' } },
      'session/load',
      'unproven',
    ],
    [
      'pi',
      { code: -32602, message: 'Invalid params', data: `Unknown sessionId: ${sessionId}` },
      'session/load',
      'missing',
    ],
    [
      'copilot',
      {
        code: -32002,
        message: `Resource not found: Session ${sessionId} not found`,
        data: { uri: `Session ${sessionId} not found` },
      },
      'session/load',
      'missing',
    ],
    [
      'auggie',
      { code: -32602, message: 'Invalid params', data: { details: `Session not found: ${sessionId}` } },
      'session/load',
      'missing',
    ],
    [
      'an unsupported method',
      { code: -32601, message: '"Method not found": session/resume' },
      'session/resume',
      'unsupported',
    ],
    [
      '0.31.0 without its binary',
      internal('Claude Code native binary not found at /opt/claude'),
      'session/new',
      'unproven',
    ],
    [
      '0.12.6 at the prompt of an empty transcript',
      internal('Claude Code process exited with code 1'),
      'session/prompt',
      'unproven',
    ],
    [
      'claude without a key, at the prompt',
      { code: -32000, message: 'Authentication required' },
      'session/prompt',
      'throw',
    ],
    [
      'cline, auggie without a login',
      { code: -32000, message: 'Authentication required' },
      'session/new',
      'throw',
    ],
    [
      '0.57.0 in a missing cwd',
      { code: -32602, message: 'Invalid params', data: { cwd: 'must be an existing directory' } },
      'session/new',
      'throw',
    ],
  ])('%s', (_name, rpc, method, verdict) => {
    expect(judge(answered(rpc, { method }))[0]).toBe(verdict);
  });

  it.each([
    `No conversation found with session ID: ${sessionId}`,
    'Error: --resume requires a valid session ID when used with --print. Usage: claude -p --resume <session-id>',
  ])('claude 0.12.6, which never answers: %s', (line) => {
    expect(judge(unanswered('request-failed', ['warming up', line]))).toEqual(['missing', 'stderr']);
  });
});

describe('B13: the families of "missing"', () => {
  it.each([
    'session not found',
    `Session ${sessionId} was not found`,
    `Session '${sessionId}' could not be found`,
    `session with id ${sessionId} cannot be found`,
    `sessionId ${sessionId} is not found`,
    `Session "${sessionId}" does not exist`,
    `The session ${sessionId} no longer exists`,
    `conversation ${sessionId} not found`,
    'No such session',
    'no saved session found',
    `Could not find session ${sessionId}`,
    `Cannot find the conversation ${sessionId}`,
    `unknown session ${sessionId}`,
    'Unknown session ID',
    'invalid session',
  ])('%s', (text) => {
    expect(judge(answered(internal(text)))).toEqual(['missing', 'data']);
    expect(judge(answered({ code: -32603, message: text }))).toEqual(['missing', 'message']);
    expect(judge(answered({ code: 1, message: 'x', data: [[{ errors: [{ message: text }] }]] }))[0]).toBe(
      'missing',
    );
    expect(judge(unanswered('agent-exited', [`2026-01-01 ERROR ${text}`]))).toEqual(['missing', 'stderr']);
  });

  it('says where it was seen, in which words and by which pattern', () => {
    const verdict = classify(answered(internal(`No conversation\n found with session ID: ${sessionId}`)));
    expect(verdict).toEqual({
      action: 'failed',
      kind: 'missing',
      evidence: {
        source: 'data',
        text: `No conversation found with session ID: ${sessionId}`,
        pattern: 'no conversation found',
        rpcCode: -32603,
      },
    });
  });

  it('finds a text in megabytes of data, and cuts what it shows', () => {
    const data = { details: `Session not found. ${'x '.repeat(1_000_000)}` };
    const verdict = classify(answered({ code: -32603, message: 'Internal error', data }));
    expect(verdict).toMatchObject({ kind: 'missing' });
    expect(verdict.evidence.text.length).toBeLessThan(400);
  });
});

describe('B11: what is no proof against the session', () => {
  test.each<[string, { code: number; message: string; data?: unknown }, string]>([
    ['a wrapper that says "session"', internal('ACP session creation failed'), 'unproven'],
    ['an exit code in a text', internal('network error: curl exited with code 1'), 'unproven'],
    ['an MCP server', internal('MCP server "files" could not be started'), 'throw'],
    ['an MCP server with a session of its own', internal('MCP error -32001: Session not found'), 'throw'],
    ['a login', internal('Invalid session token. Please log in again.'), 'throw'],
    [
      'a login whose session is gone',
      internal('Your session does not exist any more: unauthorized'),
      'throw',
    ],
    ['an API key', internal('invalid API key for session service'), 'throw'],
    ['the cwd', { code: -32602, message: 'Invalid params: cwd is no directory' }, 'throw'],
    [
      'a field within',
      { code: -32602, message: 'Invalid params', data: { mcpServers: { 0: { message: 'bad' } } } },
      'throw',
    ],
    ['additional directories', { code: -32602, message: 'additionalDirectories must be absolute' }, 'throw'],
    ['another file', { code: -32002, message: 'Resource not found: /etc/agent.toml' }, 'throw'],
    [
      'another address',
      { code: -32002, message: 'Resource not found', data: { uri: 'mcp://files/a' } },
      'throw',
    ],
    ['another resource', { code: -32002, message: 'Resource not found: model opus' }, 'unproven'],
    ['another session', internal(`No conversation found with session ID: ${otherId}`), 'unproven'],
    [
      'another session, -32002',
      { code: -32002, message: `Resource not found: ${otherId}`, data: { uri: otherId } },
      'unproven',
    ],
    ['another session with an id of another kind', internal('Session ses_4f9a8b7c6d not found'), 'unproven'],
    [
      'a thread whose id stands behind',
      internal('no rollout found for thread id: 01J9ZQ4M6T8VXC2N3B5K7P'),
      'unproven',
    ],
    [
      'ENOENT on another path',
      internal("ENOENT: no such file or directory, open '/etc/agent.toml'"),
      'unproven',
    ],
    ['nothing at all', { code: -32603, message: '' }, 'unproven'],
  ])('%s', (_name, rpc, verdict) => {
    expect(judge(answered(rpc))[0]).toBe(verdict);
  });

  it('is missing all the same where an MCP or login text names this session', () => {
    expect(judge(answered(internal(`after auth: Session ${sessionId} not found`)))[0]).toBe('missing');
    expect(judge(answered({ code: -32000, message: `Session not found: ${sessionId}` }))[0]).toBe('missing');
    expect(judge(answered({ code: -32000, message: 'Session not found' }))[0]).toBe('throw');
  });

  test.each<ErrorCode>([
    'aborted',
    'invalid-config',
    'cwd-missing',
    'command-missing',
    'spawn-failed',
    'protocol-version',
    'capability-missing',
    'line-too-long',
    'closed',
  ])('the code %s', (code) => {
    const error = new AcpLauncherError(code, 'session not found', { phase: 'session' });
    const lines = [`No conversation found with session ID: ${sessionId}`];
    const attempt = { sessionId, method: 'session/new', error, stderrLines: lines };
    expect(judge(attempt)).toEqual(['throw', 'code']);
  });

  test.each<Phase>(['config', 'spawn', 'initialize', 'authenticate', 'shutdown'])(
    'X16, B61: whatever happens in the phase %s',
    (phase) => {
      const error = new AcpLauncherError('agent-exited', 'session not found', { phase });
      expect(judge({ sessionId, method: 'session/new', error, stderrLines: [] })[0]).toBe('throw');
    },
  );

  it('X16: an exit while the session is opened proves nothing', () => {
    const lines = ['fatal: refused to start as root with bypass permissions'];
    expect(judge(unanswered('agent-exited', lines))).toEqual(['unproven', 'exit']);
  });

  it('an answer without an id proves nothing', () => {
    expect(judge(unanswered('invalid-response'))).toEqual(['unproven', 'response']);
  });
});

describe('X03: a lock', () => {
  it.each([
    ['Session is already open in another process', 'locked'],
    [`Session ${sessionId} is locked`, 'locked'],
    [`Session ${sessionId} is already in use (cwd /srv/p)`, 'locked'],
    ['MCP server files: database is locked', 'throw'],
    ['the call was blocked by a firewall', 'unproven'],
  ])('%s', (text, verdict) => {
    expect(judge(answered(internal(text)))[0]).toBe(verdict);
  });
});

describe('stderr', () => {
  it.each([
    `Spawning claude --print --resume ${sessionId}`,
    "Handling request { jsonrpc: '2.0', method: 'session/new' }",
    'cleanup: session 00000000-0000-4000-8000-000000000000 not found, skipped',
    'cleanup: session ses_4f9a8b7c6d5e4f3a not found, skipped',
    `ENOENT: no such file or directory, open '/home/u/${sessionId}.lock'`,
    'MCP server files: session not found',
    'Query closed before response received',
    'session',
    'process exited with code 1',
    'the session is locked',
  ])('does not count: %s', (line) => {
    expect(judge(unanswered('agent-exited', [line]))).toEqual(['unproven', 'exit']);
  });

  it('counts beside an error that says nothing, and says which line it was', () => {
    const lines = ['Spawning', `No conversation found with session ID: ${sessionId}`, 'Bye'];
    const verdict = classify(
      answered(internal('Query closed before response received'), { stderrLines: lines }),
    );
    expect(verdict).toMatchObject({
      kind: 'missing',
      evidence: { source: 'stderr', text: lines[1], pattern: 'no conversation found', rpcCode: -32603 },
    });
  });

  it('does not outweigh an error that says something else', () => {
    const lines = [`No conversation found with session ID: ${sessionId}`];
    const file = { code: -32002, message: 'Resource not found: file:///a' };
    expect(judge(answered(file, { stderrLines: lines }))[0]).toBe('throw');
    expect(judge(answered({ code: -32000, message: 'Log in first' }, { stderrLines: lines }))[0]).toBe(
      'throw',
    );
  });
});

describe('at the first prompt', () => {
  const atPrompt = (rpc: { code: number; message: string; data?: unknown }) =>
    judge(answered(rpc, { method: 'session/prompt' }))[0];

  it('B15: counts only what names the session, since a prompt may link to resources', () => {
    expect(atPrompt(internal(`Session ${sessionId} not found`))).toBe('missing');
    expect(atPrompt({ code: -32002, message: 'Resource not found', data: { uri: sessionId } })).toBe(
      'missing',
    );
    expect(atPrompt({ code: -32002, message: 'Resource not found' })).toBe('unproven');
    expect(atPrompt({ code: -32002, message: 'Resource not found: README.md' })).toBe('unproven');
    expect(atPrompt({ code: -32601, message: 'Method not found' })).toBe('unproven');
  });

  it('X02: an ordinary -32000 is no proof', () => {
    expect(atPrompt({ code: -32000, message: 'busy' })).toBe('throw');
  });
});

describe('keywords of the caller', () => {
  const keywords = [
    { pattern: 'Gedächtnislücke', kind: 'missing', lookIn: ['data', 'stderr'] },
    { pattern: /besetzt/g, kind: 'locked', lookIn: ['message'] },
  ] as const;
  const own = (attempt: Parameters<typeof classifyResumeFailure>[0]) => {
    const verdict = classifyResumeFailure(attempt, keywords);
    return verdict.action === 'throw' ? 'throw' : verdict.kind;
  };

  it('replace ours, in the places that they name', () => {
    expect(own(answered(internal('GEDÄCHTNISLÜCKE')))).toBe('missing');
    expect(own(answered({ code: -32603, message: 'Gedächtnislücke' }))).toBe('unproven');
    expect(own(unanswered('agent-exited', ['Gedächtnislücke']))).toBe('missing');
    expect(own(answered(internal('Session not found')))).toBe('unproven');
  });

  it('may be global expressions, which match every time', () => {
    const attempt = answered({ code: -32603, message: 'besetzt' });
    expect([own(attempt), own(attempt), own(attempt)]).toEqual(['locked', 'locked', 'locked']);
  });
});

describe('whatever comes', () => {
  const rpc = fc.record({
    code: fc.integer(),
    message: fc.oneof(fc.string(), fc.constantFrom('Session not found', 'Resource not found', sessionId)),
    data: fc.jsonValue({ maxDepth: 8 }),
  });
  const codes = fc.constantFrom(...(Object.keys(errorCodes) as ErrorCode[]));

  it('never throws, and gives one short line of evidence', () => {
    fc.assert(
      fc.property(
        rpc,
        codes,
        fc.array(fc.string()),
        fc.string({ minLength: 1 }),
        (error, code, stderrLines, id) => {
          const attempts = [
            new AcpLauncherError(code, error.message, { phase: 'session', rpc: error }),
            new AcpLauncherError(code, error.message, { phase: 'prompt' }),
          ];
          for (const thrown of attempts) {
            const attempt = { sessionId: id, method: 'session/new', error: thrown, stderrLines };
            const { evidence } = classify(attempt);
            expect(evidence.text).not.toMatch(/\n/);
            expect(evidence.text.length).toBeLessThan(400);
          }
        },
      ),
    );
  });

  it('takes anything for an error', () => {
    fc.assert(
      fc.property(fc.anything(), (error) => {
        expect(judge({ sessionId, method: 'session/new', error, stderrLines: [] })[0]).toBe('throw');
      }),
    );
  });

  it('never takes an error without a missing row for a missing session', () => {
    const harmless = fc
      .string()
      .filter((text) => !/session|conversation|rollout|resource|ENOENT/i.test(text));
    fc.assert(
      fc.property(harmless, harmless, (message, details) => {
        expect(judge(answered({ code: -32603, message, data: { details } }))[0]).not.toBe('missing');
      }),
    );
  });
});
