import { isAbsolute } from 'node:path';
import type { AgentCapabilities } from '@agentclientprotocol/sdk';
import type { AgentStartConfig } from '../config/agent-start-config.ts';
import type { LauncherLimits } from '../config/launcher-options.ts';
import { checkMcpTransports, secretsFromMcpServers, withInheritedPath } from '../config/mcp-servers.ts';
import { canonicalDirectory, type DirectoryWait } from '../config/project-directory.ts';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { invalidConfig } from '../errors/invalid-config.ts';
import type { GrowingRedactor } from '../errors/growing-redactor.ts';
import { checkOptions, checkText } from '../internal/check-input.ts';
import type { AgentProcess } from '../process/agent-process.ts';
import type { AgentWire } from '../wire/agent-wire.ts';
import { openingParams, type OpeningMethod } from './opening-params.ts';
import { sendOpeningRequest, type OpeningSession } from './opening-request.ts';
import { defaultResumePolicy, type ResumePolicy } from './resume-policy.ts';
import type { UpdateRouter } from './update-router.ts';

/** Options of everything that opens a session. */
export interface OpenSessionOptions {
  readonly signal?: AbortSignal | undefined;
  /** The session's directory, an absolute path; by default the one that the agent was started in. */
  readonly cwd?: string | undefined;
  /** Which text counts as a failed resume, and the caller's own verdict. */
  readonly policy?: Partial<Pick<ResumePolicy, 'keywords' | 'classify'>> | undefined;
}

/** The agent that is to open the session. */
export interface OpeningAgent {
  readonly wire: AgentWire;
  readonly router: UpdateRouter;
  readonly process: Pick<AgentProcess, 'stderr'>;
  readonly limits: LauncherLimits;
  readonly redactor: GrowingRedactor;
  /** The agent's environment; MCP servers that bring some of their own still need its `PATH` and `HOME`. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly capabilities: AgentCapabilities;
  /** What to authenticate with, once, when the agent asks for it. */
  readonly authMethodId: string | undefined;
  /** Whether a session of this id is open here. */
  isOpen(sessionId: string): boolean;
  authenticate(methodId: string, signal: AbortSignal | undefined): Promise<void>;
  /** Something was configured that this agent does not take. */
  onNotSent(what: string): void;
}

export interface SessionToOpen<Session extends OpeningSession> {
  readonly method: OpeningMethod;
  readonly config: AgentStartConfig;
  /** The id to go on with, if any. */
  readonly requestedSessionId: string | undefined;
  readonly options: OpenSessionOptions;
  /** @param replaying - What comes until the request is answered is history. */
  readonly createSession: (sessionId: string, cwd: string, replaying: boolean) => Session;
}

/**
 * Opens a session with one request, and with a second one only where the agent asked for the authentication that the
 * caller configured.
 *
 * @throws As {@link sendOpeningRequest}; `capability-missing` for an MCP transport that the agent does not take, and
 * `session-conflict` for a session that is open here already; `cwd-missing` for a directory that is not there, which
 * agents hang at or take for another failure; `timeout` for a file system that does not show it.
 */
export async function openSession<Session extends OpeningSession>(
  agent: OpeningAgent,
  { method, config, requestedSessionId, options, createSession }: SessionToOpen<Session>,
): Promise<Session> {
  const { wire, router, limits, capabilities, authMethodId } = agent;
  checkOptions(options, { signal: 'signal', cwd: 'text', policy: 'object' }, 'options.');
  const { signal, policy } = options;
  const wait = {
    timeoutMs: limits.requestTimeoutMs,
    signal,
    onAbort: (reason: unknown) => wire.abortError({ phase: 'session', method }, reason),
  };
  const cwd = options.cwd === undefined ? agent.cwd : await sessionDirectory(options.cwd, wait);
  const additionalDirectories = await canonicalDirectories(config.additionalDirectories, wait);
  if (requestedSessionId !== undefined) checkText(requestedSessionId, 'sessionId');
  if (requestedSessionId !== undefined && agent.isOpen(requestedSessionId)) {
    const message = `the session ${requestedSessionId} is open already on this agent; close it first`;
    const facts = { phase: 'session', method, sessionId: requestedSessionId } as const;
    throw new AcpLauncherError('session-conflict', message, facts);
  }
  agent.redactor.add(secretsFromMcpServers(config.mcpServers));
  checkMcpTransports(config.mcpServers, capabilities.mcpCapabilities);
  const mcpServers = withInheritedPath(config.mcpServers, agent.env);
  const asked = { method, config, mcpServers, additionalDirectories, sessionId: requestedSessionId, cwd };
  const { params, notSent } = openingParams(asked, capabilities);
  for (const what of notSent) agent.onNotSent(what);
  const servers = config.mcpServers.map((server) => server.name);
  const send = () =>
    sendOpeningRequest({
      wire,
      router,
      stderr: agent.process.stderr,
      method,
      // A new object each time: a request is recognised by it.
      params: { ...params },
      requestedSessionId,
      policy: { ...defaultResumePolicy, ...policy },
      timeoutMs: servers.length === 0 ? limits.sessionTimeoutMs : limits.sessionWithMcpTimeoutMs,
      signal,
      note: servers.length === 0 ? undefined : `with the MCP servers ${servers.join(', ')}`,
      createSession: (sessionId) => createSession(sessionId, cwd, sessionId === requestedSessionId),
    });
  try {
    return await send();
  } catch (error) {
    const wanted = AcpLauncherError.isInstance(error) && error.code === 'auth-required';
    if (!wanted || authMethodId === undefined) throw error;
    await agent.authenticate(authMethodId, signal);
    return await send();
  }
}

function sessionDirectory(cwd: string, wait: DirectoryWait): Promise<string> {
  if (!isAbsolute(cwd)) throw invalidConfig('options.cwd', 'must be an absolute path');
  return canonicalDirectory(cwd, wait);
}

/** As agents compare them; one that is not there is the agent's to judge. */
async function canonicalDirectories(
  directories: readonly string[] | undefined,
  wait: DirectoryWait,
): Promise<readonly string[] | undefined> {
  const asGiven = (path: string) => (error: unknown) => {
    const wasLeft = AcpLauncherError.isInstance(error) && ['timeout', 'aborted'].includes(error.code);
    if (wasLeft) throw error;
    return path;
  };
  return (
    directories &&
    (await Promise.all(directories.map((path) => canonicalDirectory(path, wait).catch(asGiven(path)))))
  );
}
