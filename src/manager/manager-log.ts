import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import type { ResumeOutcome } from '../session/resume-outcome.ts';
import type { Logger, ManagerEventSource } from './manager-events.ts';

/** Writes a manager's events to a logger of pino's shape. The texts of the resume lines are those of RCoder. */
export function logEvents(events: ManagerEventSource, logger: Logger): void {
  events.on('session-open', ({ projectId, session, resume, action }) => {
    logger.info(
      { projectId, sessionId: session.sessionId, resume: resume.status, ...freshBecause(resume), action },
      'ACP 会话创建成功[new_session]',
    );
  });
  events.on('resume-retry', ({ projectId, error, next }) => {
    const fresh = next === 'open-fresh';
    logger.warn(
      { projectId, error: error.toJSON() },
      fresh
        ? '⚠️ Agent 启动失败（可能因 --resume），重试不使用 --resume'
        : '⚠️ Agent 启动失败（可能因 --resume），再次使用 --resume',
    );
    logger.info(
      { projectId },
      fresh ? '🔄 重试启动 Agent（不使用 --resume）' : '🔄 重试启动 Agent（使用 --resume）',
    );
  });
  events.on('resume-fallback', ({ projectId, resume }) => {
    const { status, requestedSessionId, sessionId, evidence } = resume;
    logger.warn(
      { projectId, status, requestedSessionId, sessionId, evidence },
      'the conversation could not be continued',
    );
  });
  events.on('resume-suspect', ({ projectId, session }) => {
    logger.warn(
      { projectId, sessionId: session.sessionId },
      'the first turn after a resume ended with nothing',
    );
  });
  events.on('agent-exit', ({ projectId, pid, exit, expected }) => {
    if (expected) logger.debug({ projectId, pid, ...exit }, 'the agent ended');
    else logger.warn({ projectId, pid, ...exit }, 'the agent ended unexpectedly');
  });
  events.on('session-close', ({ projectId, session }) => {
    logger.debug({ projectId, sessionId: session.sessionId }, 'session closed');
  });
  events.on('turn-end', ({ projectId, session, turn }) => {
    logger.debug({ projectId, sessionId: session.sessionId, ...turn.summary }, 'turn ended');
  });
  events.on('setting-lost', ({ projectId, setting }) => {
    logger.warn({ projectId, setting }, 'a setting could not be made again');
  });
  events.on('store-error', ({ projectId, error }) => {
    logger.error({ projectId, error: asPlain(error) }, 'the session store could not be written');
  });
  events.on('pointer-unreadable', ({ projectId, problem }) => {
    logger.error({ projectId, problem }, 'the stored session pointer could not be read');
  });
  events.on('listener-error', ({ error }) => {
    logger.error({ error: asPlain(error) }, 'a listener threw');
  });
}

/** Why an older conversation is not gone on with. */
function freshBecause(resume: ResumeOutcome): object {
  if (resume.status !== 'fresh' || resume.reason === undefined) return {};
  const { reason, previousSessionId } = resume;
  return { reason, previousSessionId };
}

function asPlain(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  return AcpLauncherError.isInstance(error) ? error.toJSON() : { name: error.name, message: error.message };
}
