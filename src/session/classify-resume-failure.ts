import { AcpLauncherError, type RpcErrorFacts } from '../errors/acp-launcher-error.ts';
import type { ResumeEvidence, ResumeFailureKind } from '../errors/resume-failed-error.ts';
import { matchKeyword, type ResumeKeyword } from './resume-keywords.ts';
import type { FailedResume, ResumeVerdict } from './resume-policy.ts';
import { describeSaid, oneLine, saidTexts, type SaidText } from './said-texts.ts';
import { mentions, mentionsAnother, missingResource } from './session-mentions.ts';

const authRequired = -32000;
const resourceNotFound = -32002;
const methodNotFound = -32601;
const invalidParams = -32602;

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

/** Another party that may miss a session of its own: an MCP server, a login. */
const otherParty =
  /\bmcp\b|mcpServers?|\bauth(?:entication|orization)?\b|unauthori[sz]ed|api[ -]key|\blog(?:ged)?[ -]?in\b|credential/i;
/** What an error names when it is about another field than the session. */
const otherField = /\bcwd\b|working directory|additionalDirectories/i;

/**
 * Decides what a failed attempt to resume says about the session, from the error and from what stderr said since.
 * Pure: it knows nothing of processes. A caller's `classify` may overrule it, see {@link judgeResumeFailure}.
 */
export function classifyResumeFailure(
  attempt: FailedResume,
  keywords: readonly ResumeKeyword[],
): ResumeVerdict {
  const { error, sessionId } = attempt;
  if (!AcpLauncherError.isInstance(error)) {
    const text = error instanceof Error ? error.message : `a thrown ${typeof error}`;
    return thrown({ source: 'message', text: oneLine(text) });
  }
  const { code, phase, facts, message } = error;
  const { rpc } = facts;
  const missing = rpc === undefined ? undefined : matchMissing(saidTexts(rpc), keywords, sessionId);
  if (neverTheSession.has(code) || (phase !== 'session' && phase !== 'prompt')) {
    const isNamed = rpc?.code === authRequired && missing !== undefined && mentions(missing.text, sessionId);
    // -32000 is also what a server answers that knows no better; only a text about this very session outweighs it.
    if (!isNamed) return thrown({ source: 'code', text: oneLine(message), rpcCode: rpc?.code });
  }
  if (rpc !== undefined && missing !== undefined) return failed('missing', withCode(missing, rpc));
  const byResource = rpc === undefined ? undefined : judgeResource(rpc, attempt);
  if (byResource !== undefined) return byResource;
  const complaint = matchStderr(attempt.stderrLines, keywords, sessionId);
  if (complaint !== undefined) return failed('missing', { ...complaint, rpcCode: rpc?.code });
  return rpc === undefined ? judgeSilence(error) : judgeAnswer(rpc, attempt, keywords);
}

/** The first stderr line that says that this session is missing. A line that names another id says nothing of it. */
export function matchStderr(
  lines: readonly string[],
  keywords: readonly ResumeKeyword[],
  sessionId: string,
): ResumeEvidence | undefined {
  for (const line of lines) {
    if (mentionsAnother(line, sessionId) || isOfOtherParty(line, sessionId)) continue;
    const keyword = matchKeyword(keywords, 'missing', 'stderr', line);
    if (keyword !== undefined)
      return { source: 'stderr', text: oneLine(line), pattern: String(keyword.pattern) };
  }
  return undefined;
}

function matchMissing(
  texts: readonly SaidText[],
  keywords: readonly ResumeKeyword[],
  sessionId: string,
): ResumeEvidence | undefined {
  for (const { source, text } of texts) {
    if (mentionsAnother(text, sessionId) || isOfOtherParty(text, sessionId)) continue;
    if (text.includes('ENOENT') && text.includes(sessionId))
      return { source, text: oneLine(text), pattern: 'ENOENT' };
    const keyword = matchKeyword(keywords, 'missing', source, text);
    if (keyword !== undefined) return { source, text: oneLine(text), pattern: String(keyword.pattern) };
  }
  return undefined;
}

/** "Session not found" may be the complaint of an MCP server or a login about a session of its own. */
function isOfOtherParty(text: string, sessionId: string): boolean {
  return otherParty.test(text) && !mentions(text, sessionId);
}

/** "Resource not found" counts when it is about this session, or names nothing at all where a session was opened. */
function judgeResource(rpc: RpcErrorFacts, { sessionId, method }: FailedResume): ResumeVerdict | undefined {
  const isCode = rpc.code === resourceNotFound;
  const texts = saidTexts(rpc);
  if (!isCode && !texts.some(({ text }) => /\bresource not found\b/i.test(text))) return undefined;
  const evidence = {
    source: isCode ? 'code' : 'message',
    text: describeSaid(rpc),
    rpcCode: rpc.code,
  } as const;
  switch (missingResource(texts, sessionId)) {
    case 'this-session':
      return failed('missing', evidence);
    case 'location':
      return thrown(evidence);
    case 'unnamed':
      // A prompt may link to resources.
      return isCode && method !== 'session/prompt' ? failed('missing', evidence) : undefined;
    case 'other':
      return undefined;
  }
}

/** No error was answered: the agent ended, did not answer in time, or answered nonsense. */
function judgeSilence({ code, message }: AcpLauncherError): ResumeVerdict {
  const text = oneLine(message);
  if (code === 'timeout') return failed('timeout', { source: 'timeout', text });
  const source = code === 'agent-exited' ? 'exit' : code === 'invalid-response' ? 'response' : 'message';
  return failed('unproven', { source, text });
}

/** An error was answered, and nothing in it says that the session is missing. */
function judgeAnswer(
  rpc: RpcErrorFacts,
  { method, sessionId }: FailedResume,
  keywords: readonly ResumeKeyword[],
): ResumeVerdict {
  const texts = saidTexts(rpc);
  const evidence = { source: 'message', text: describeSaid(rpc), rpcCode: rpc.code } as const;
  const byCode = { ...evidence, source: 'code' } as const;
  const isNative = method === 'session/load' || method === 'session/resume';
  if (rpc.code === authRequired) return thrown(byCode);
  if (rpc.code === methodNotFound && isNative) return failed('unsupported', byCode);
  const locked = firstMatch(texts, keywords, 'locked');
  const isAboutOther = texts.some(({ text }) => otherParty.test(text) || otherField.test(text));
  if (locked !== undefined && (!isAboutOther || mentions(locked.text, sessionId)))
    return failed('locked', withCode(locked, rpc));
  if (isAboutOther) return thrown(evidence);
  if (rpc.code === invalidParams && isNative) return failed('unsupported', byCode);
  return failed('unproven', withCode(firstMatch(texts, keywords, 'unproven') ?? evidence, rpc));
}

function firstMatch(
  texts: readonly SaidText[],
  keywords: readonly ResumeKeyword[],
  kind: ResumeKeyword['kind'],
): ResumeEvidence | undefined {
  for (const { source, text } of texts) {
    const keyword = matchKeyword(keywords, kind, source, text);
    if (keyword !== undefined) return { source, text: oneLine(text), pattern: String(keyword.pattern) };
  }
  return undefined;
}

function withCode(evidence: ResumeEvidence, rpc: RpcErrorFacts): ResumeEvidence {
  return { ...evidence, rpcCode: rpc.code };
}

function thrown(evidence: ResumeEvidence): ResumeVerdict {
  return { action: 'throw', evidence };
}

function failed(kind: ResumeFailureKind, evidence: ResumeEvidence): ResumeVerdict {
  return { action: 'failed', kind, evidence };
}
