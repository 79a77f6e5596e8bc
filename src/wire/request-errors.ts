import { AcpLauncherError, type RpcErrorFacts } from '../errors/acp-launcher-error.ts';
import type { Phase } from '../errors/error-codes.ts';
import { redactJson } from '../errors/redact-json.ts';
import type { Redactor } from '../errors/redactor.ts';
import { describeRpcError } from '../errors/json-rpc-message.ts';
import type { AgentProcess } from '../process/agent-process.ts';
import { explainExit } from '../process/diagnose-spawn.ts';

/** What was being done when something went wrong. */
export interface RequestPlace {
  readonly phase: Phase;
  readonly method: string;
  readonly sessionId?: string | undefined;
  /** More about the request that a person needs, such as the names of MCP servers. */
  readonly note?: string | undefined;
}

/** What the errors tell of the agent. */
export interface AgentFacts extends Pick<AgentProcess, 'pid' | 'exit' | 'stderr'> {
  readonly command: string;
  /** What the agent says may repeat what it was given. */
  readonly redactor: Redactor;
}

/** How much of stderr a message repeats; the error's facts hold the whole tail. */
const stderrLinesInMessage = 5;

export function exitError(agent: AgentFacts, place: RequestPlace): AcpLauncherError {
  const { exit } = agent;
  const stderrTail = agent.stderr.text();
  const how =
    exit === undefined
      ? 'closed its stdout'
      : exit.exitSignal === null
        ? `exited with code ${exit.exitCode ?? 'unknown'}`
        : `was ended by ${exit.exitSignal}`;
  const hint = exit === undefined ? undefined : explainExit({ exitCode: exit.exitCode, stderr: stderrTail });
  const message = `the agent (${agent.command}) ${how} during ${place.method}${hint === undefined ? '' : `: ${hint}`}`;
  return new AcpLauncherError('agent-exited', withStderr(message, agent), {
    ...commonFacts(agent, place),
    exitCode: exit?.exitCode,
    exitSignal: exit?.exitSignal,
  });
}

export function lineTooLongError(
  agent: AgentFacts,
  place: RequestPlace,
  maxLineBytes: number,
): AcpLauncherError {
  const message = `the agent (${agent.command}) sent a line of more than ${maxLineBytes} bytes (maxLineBytes) during ${place.method}`;
  return new AcpLauncherError('line-too-long', message, commonFacts(agent, place));
}

export function closedError(agent: AgentFacts, place: RequestPlace): AcpLauncherError {
  const message = `the connection to the agent (${agent.command}) was closed during ${place.method}`;
  return new AcpLauncherError('closed', message, commonFacts(agent, place));
}

/** @param what - What was not done in time: `the prompt turn did not end`. */
export function timeoutError(
  agent: AgentFacts,
  place: RequestPlace,
  timeoutMs: number,
  what = `the agent (${agent.command}) did not answer ${place.method}`,
): AcpLauncherError {
  const alive = agent.exit === undefined ? 'still running' : 'gone';
  const note = place.note === undefined ? '' : ` (${place.note})`;
  const message = `${what} within ${timeoutMs} ms${note}; the agent's process was ${alive}`;
  return new AcpLauncherError('timeout', withStderr(message, agent), {
    ...commonFacts(agent, place),
    timeoutMs,
  });
}

export function abortError(agent: AgentFacts, place: RequestPlace, reason: unknown): AcpLauncherError {
  return new AcpLauncherError('aborted', `the caller aborted during ${place.method}`, {
    ...commonFacts(agent, place),
    cause: reason,
  });
}

/** A request that JSON can't hold: only what the caller put into it can be the reason. */
export function unsendableError(place: RequestPlace, error: Error): AcpLauncherError {
  const message = `${place.method} was not sent, since JSON can't hold it: ${error.message}`;
  const { phase, method, sessionId } = place;
  return new AcpLauncherError('invalid-config', message, { phase, method, sessionId });
}

export function rpcError(
  agent: AgentFacts,
  place: RequestPlace,
  answered: RpcErrorFacts,
  authMethods: readonly string[],
): AcpLauncherError {
  const rpc = redactRpc(answered, agent.redactor);
  const facts = { ...commonFacts(agent, place), rpc };
  const text = `${describeRpcError(rpc)} (${rpc.code})`;
  if (rpc.code === -32000 && place.phase === 'session') {
    const methods = authMethods.map((method) => agent.redactor.redact(method));
    const offered = methods.length === 0 ? 'it names no method' : `it offers ${methods.join(', ')}`;
    const message = `the agent (${agent.command}) wants authentication before ${place.method}: ${text}; ${offered}. A key that is set on the host is only inherited where the preset or \`inheritEnv\` lets it through`;
    return new AcpLauncherError('auth-required', withStderr(message, agent), {
      ...facts,
      authMethods: methods,
    });
  }
  const message = `the agent (${agent.command}) answered ${place.method} with an error: ${text}`;
  const bare = describeRpcError(rpc) === 'Internal error';
  return new AcpLauncherError('request-failed', bare ? withStderr(message, agent) : message, facts);
}

function redactRpc({ code, message, data }: RpcErrorFacts, redactor: Redactor): RpcErrorFacts {
  return {
    code,
    message: redactor.redact(message),
    ...(data === undefined ? {} : { data: redactJson(data, redactor) }),
  };
}

function commonFacts(agent: AgentFacts, place: RequestPlace) {
  return {
    phase: place.phase,
    method: place.method,
    sessionId: place.sessionId,
    command: agent.command,
    pid: agent.pid,
    agentAlive: agent.exit === undefined,
    stderrTail: agent.stderr.text(),
  };
}

function withStderr(message: string, agent: AgentFacts): string {
  const lines = agent.stderr.text(stderrLinesInMessage).trim();
  return lines === '' ? message : `${message}; its last stderr lines:\n${lines}`;
}
