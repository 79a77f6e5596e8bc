import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { ResumeEvidence } from '../errors/resume-failed-error.ts';
import type { FailedResume, ResumeKeyword, ResumeVerdict } from './resume-policy.ts';

const methodNotFound = -32601;
const invalidParams = -32602;
const resourceNotFound = -32002;
const longestEvidence = 300;

/** Failures that can't be the session's: they arise before it is asked for, or are the caller's own. */
const neverTheSession = new Set<string>([
  'aborted',
  'invalid-config',
  'cwd-missing',
  'command-missing',
  'command-not-executable',
  'interpreter-missing',
  'spawn-failed',
  'protocol-version',
  'auth-required',
  'capability-missing',
  'line-too-long',
  'closed',
]);

/** What an error names when it is about another field or thing than the session. */
const otherThing =
  /\bmcp\b|mcpServers|\bcwd\b|working directory|\bauth(?:entication|orization)?\b|additionalDirectories/i;

/**
 * Decides what a failed attempt to resume says about the session, from the error and from what stderr said since.
 * Pure: it knows nothing of processes. A caller's `classify` may overrule it, see {@link judgeResumeFailure}.
 */
export function classifyResumeFailure(
  attempt: FailedResume,
  keywords: readonly ResumeKeyword[],
): ResumeVerdict {
  const { error, sessionId } = attempt;
  if (!AcpLauncherError.isInstance(error)) return thrown({ source: 'message', text: String(error) });
  const { code, phase, facts, message } = error;
  const rpc = facts.rpc;
  if (neverTheSession.has(code) || (phase !== 'session' && phase !== 'prompt')) {
    return thrown({ source: 'code', text: oneLine(message), rpcCode: rpc?.code });
  }
  const texts = rpc === undefined ? [] : textsOf(rpc);
  const said = firstMatch(texts, keywords, sessionId, 'missing');
  if (said !== undefined) return failed('missing', { ...said, rpcCode: rpc?.code });
  if (rpc?.code === resourceNotFound) {
    const named = namedResource(rpc.data, sessionId, rpc.message);
    const evidence = { source: 'code', text: oneLine(describe(rpc)), rpcCode: rpc.code } as const;
    if (named === 'this') return failed('missing', evidence);
    if (named === 'file') return thrown(evidence);
  }
  const complaint = matchStderr(attempt.stderrLines, keywords, sessionId);
  if (complaint !== undefined) return failed('missing', { ...complaint, rpcCode: rpc?.code });
  if (code === 'timeout') return failed('timeout', { source: 'timeout', text: oneLine(message) });
  if (rpc === undefined) return failed('unproven', { source: 'exit', text: oneLine(message) });
  if (rpc.code === methodNotFound && attempt.method !== 'session/new') {
    return failed('unsupported', { source: 'code', text: oneLine(describe(rpc)), rpcCode: rpc.code });
  }
  const locked = firstMatch(texts, keywords, sessionId, 'locked');
  if (locked !== undefined) return failed('locked', { ...locked, rpcCode: rpc.code });
  if (texts.some(({ text }) => otherThing.test(text))) {
    return thrown({ source: 'message', text: oneLine(describe(rpc)), rpcCode: rpc.code });
  }
  if (rpc.code === invalidParams && attempt.method !== 'session/new') {
    return failed('unsupported', { source: 'code', text: oneLine(describe(rpc)), rpcCode: rpc.code });
  }
  const weak = firstMatch(texts, keywords, sessionId, 'unproven');
  return failed('unproven', {
    ...(weak ?? { source: 'message', text: oneLine(describe(rpc)) }),
    rpcCode: rpc.code,
  });
}

/** {@link classifyResumeFailure}, then the caller's own verdict, which may overrule all but an abort. */
export function judgeResumeFailure(
  attempt: FailedResume,
  policy: {
    readonly keywords: readonly ResumeKeyword[];
    readonly classify?:
      ((attempt: FailedResume, verdict: ResumeVerdict) => ResumeVerdict | undefined) | undefined;
  },
): ResumeVerdict {
  const verdict = classifyResumeFailure(attempt, policy.keywords);
  const aborted = AcpLauncherError.isInstance(attempt.error) && attempt.error.code === 'aborted';
  return aborted ? verdict : (policy.classify?.(attempt, verdict) ?? verdict);
}

/** The first stderr line that says that this session is missing. A line that names another id says nothing of it. */
export function matchStderr(
  lines: readonly string[],
  keywords: readonly ResumeKeyword[],
  sessionId: string,
): ResumeEvidence | undefined {
  for (const line of lines) {
    if (namesAnotherId(line, sessionId)) continue;
    const keyword = keywords.find(
      ({ kind, lookIn, pattern }) =>
        kind === 'missing' && lookIn.includes('stderr') && matches(pattern, line),
    );
    if (keyword !== undefined)
      return { source: 'stderr', text: oneLine(line), pattern: String(keyword.pattern) };
  }
  return undefined;
}

function firstMatch(
  texts: readonly LocatedText[],
  keywords: readonly ResumeKeyword[],
  sessionId: string,
  kind: ResumeKeyword['kind'],
): ResumeEvidence | undefined {
  for (const { source, text } of texts) {
    if (kind === 'missing' && text.includes('ENOENT') && text.includes(sessionId)) {
      return { source, text: oneLine(text), pattern: 'ENOENT' };
    }
    const keyword = keywords.find(
      (row) => row.kind === kind && row.lookIn.includes(source) && matches(row.pattern, text),
    );
    if (keyword !== undefined && !(kind === 'missing' && namesAnotherId(text, sessionId))) {
      return { source, text: oneLine(text), pattern: String(keyword.pattern) };
    }
  }
  return undefined;
}

interface LocatedText {
  readonly source: 'message' | 'data';
  readonly text: string;
}

/** Every text in the error: the message, and the strings in `data`, which may be a string, an array or an object. */
function textsOf(rpc: { readonly message: string; readonly data?: unknown }): LocatedText[] {
  return [
    { source: 'message', text: rpc.message },
    ...stringsIn(rpc.data, 6).map((text) => ({ source: 'data', text }) as const),
  ];
}

function stringsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth === 0) return [];
  return Object.values(value).flatMap((entry) => stringsIn(entry, depth - 1));
}

/** What a "resource not found" is about: this session, a file, or a thing that we can't tell. */
function namedResource(data: unknown, sessionId: string, message: string): 'this' | 'file' | 'other' {
  const names = [message, ...stringsIn(data, 6)];
  if (names.some((name) => name.includes(sessionId))) return 'this';
  if (names.some((name) => /^[a-z][a-z+.-]*:\/\/|^\//i.test(name.trim()))) return 'file';
  return names.slice(1).length === 0 && !namesAnotherId(message, sessionId) ? 'this' : 'other';
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

function namesAnotherId(text: string, sessionId: string): boolean {
  return !text.includes(sessionId) && (text.match(uuid) ?? []).length > 0;
}

function matches(pattern: string | RegExp, text: string): boolean {
  if (typeof pattern === 'string') return text.toLowerCase().includes(pattern.toLowerCase());
  // A global or sticky RegExp remembers where it stopped: the same text would match every other time.
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(text);
}

function describe(rpc: { readonly message: string; readonly data?: unknown }): string {
  const details = stringsIn(rpc.data, 6);
  return details.length === 0 ? rpc.message : `${rpc.message}: ${details.join('; ')}`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > longestEvidence ? `${line.slice(0, longestEvidence)}…` : line;
}

function thrown(evidence: ResumeEvidence): ResumeVerdict {
  return { action: 'throw', evidence };
}

function failed(
  kind: Extract<ResumeVerdict, { action: 'failed' }>['kind'],
  evidence: ResumeEvidence,
): ResumeVerdict {
  return { action: 'failed', kind, evidence };
}
