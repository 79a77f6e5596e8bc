// The main job, end to end, on the bundled agent or on any other:
//   npm run demo
//   npm run demo -- --agent 'claude-agent-acp'
import { randomUUID } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  AcpLauncherError,
  AgentLauncher,
  ResumeFailedError,
  SessionManager,
  type AgentSession,
} from 'acp-launcher';
import { acproxyAgent } from 'acp-launcher/fixtures';
import { splitCommand } from './split-command.ts';
import { Transcript } from './transcript.ts';

const remember = '记住数字 42';
const recall = '我之前说的数字是多少？';
/** Agents write their transcript just after they answer; a real crash leaves them that time as well. */
const saveMs = 500;

const { values } = parseArgs({ options: { agent: { type: 'string' }, cwd: { type: 'string' } } });
const bundled = values.agent === undefined;
const story = new Transcript();
const scratch = await realpath(await mkdtemp(join(tmpdir(), 'acp-launcher-demo-')));
const project = values.cwd ?? scratch;
const pids: number[] = [];

try {
  await tellStory();
} catch (error) {
  story.check(false, `the story could not be told to its end: ${describe(error)}`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
const { mismatches } = story;
const ending =
  mismatches === 0
    ? 'Everything above is what happened.'
    : `${mismatches} of the statements above did not hold.`;
story.title(ending);
process.exitCode = mismatches === 0 ? 0 : 1;

async function tellStory(): Promise<void> {
  const launcher = new AgentLauncher(agentCommand());
  launcher.on('stage', (stage, { note }) => note !== undefined && story.note(`${stage}: ${note}`));
  story.title(`acp-launcher demo · ${values.agent ?? 'the bundled agent, acproxy'}`);

  story.chapter('Launch an agent and tell it something');
  const first = await launcher.launch('demo', project, undefined, {}, {});
  introduce(first);
  const promised = await talk(first, remember);
  if (bundled) story.check(promised.includes('42'), 'it took note of 42');

  story.chapter("Kill the agent's process outright");
  await new Promise((resolve) => setTimeout(resolve, saveMs));
  process.kill(first.connection.pid, 'SIGKILL');
  const exit = await first.connection.exited;
  story.check(
    exit.exitSignal === 'SIGKILL',
    `pid ${first.connection.pid} is gone (${exit.exitSignal ?? `code ${exit.exitCode}`})`,
  );
  await first.close();

  story.chapter('Launch it again, with resumeSessionId, and ask');
  await resumeAndAsk(launcher, first.sessionId);

  story.chapter('Resume a session that never existed');
  await fallBack(launcher);

  story.chapter('Close, and look what is left');
  const left = pids.filter(isAlive);
  story.check(
    left.length === 0,
    left.length === 0 ? `no process is left of ${pids.join(', ')}` : `still there: ${left.join(', ')}`,
  );
}

async function resumeAndAsk(launcher: AgentLauncher, sessionId: string): Promise<void> {
  let session: AgentSession;
  try {
    session = await launcher.launch('demo', project, undefined, { resumeSessionId: sessionId }, {});
  } catch (error) {
    const what =
      error instanceof ResumeFailedError ? `the agent failed to resume (${error.kind})` : 'the launch failed';
    report(false, `${what}: ${describe(error)}`);
    return;
  }
  introduce(session);
  const { resume } = session;
  if (resume.status === 'resumed')
    story.check(session.sessionId === sessionId, `resumed: the agent accepted ${sessionId}`);
  if (resume.status === 'ignored') {
    report(false, `ignored: the agent answered with another, empty session; ${resume.evidence.text}`);
    if (resume.nativeMethod !== undefined)
      story.note(`it offers ${resume.nativeMethod} instead (strategy: 'native')`);
  }
  const answer = await talk(session, recall);
  if (bundled || resume.status === 'resumed') story.check(answer.includes('42'), 'it remembers 42');
  else
    story.remark(
      answer.includes('42')
        ? 'it said 42 all the same'
        : 'it does not know the number, as was to be expected',
    );
  const report_ = await session.connection.close();
  story.check(report_.survivors.length === 0, `closed; it took ${report_.endedBy}`);
}

async function fallBack(launcher: AgentLauncher): Promise<void> {
  const manager = new SessionManager({ launcher });
  const lost = randomUUID();
  story.fact('asked for', lost);
  manager.on('resume-retry', ({ error, next }) => story.note(`${error.message}; next: ${next}`));
  try {
    const { session, turn } = await manager.prompt({
      projectId: 'demo',
      projectPath: project,
      sessionId: lost,
      prompt: recall,
    });
    pids.push(session.connection.pid);
    const { resume } = session;
    if (resume.status === 'fell-back') {
      story.check(true, `fell back to a new session, and says so: ${resume.kind}`);
      story.fact('evidence', `${resume.evidence.source}: "${resume.evidence.text}"`);
      story.fact('lost id', resume.requestedSessionId);
      story.fact('new id', resume.sessionId);
      story.check(resume.requestedSessionId === lost && resume.sessionId !== lost, 'both ids are told');
    } else {
      report(
        false,
        `the agent ${resume.status === 'ignored' ? `ignored the id and opened ${resume.sessionId}` : `says it ${resume.status} it`}`,
      );
    }
    story.you(recall);
    const answer = await turn.text();
    story.agent(answer);
    if (bundled) story.check(!answer.includes('42'), 'the new session knows nothing of 42');
  } catch (error) {
    report(false, `no session could be opened: ${describe(error)}`);
  } finally {
    await manager.shutdown();
  }
}

async function talk(session: AgentSession, text: string): Promise<string> {
  story.you(text);
  const answer = await session.prompt(text).text();
  story.agent(answer);
  return answer;
}

function introduce(session: AgentSession): void {
  const { pid, agentInfo, agentId } = session.connection;
  pids.push(pid);
  story.fact('agent', `${agentInfo?.name ?? agentId} ${agentInfo?.version ?? ''}`.trim() + `, pid ${pid}`);
  story.fact('session', session.sessionId);
}

/** The bundled agent must do it; what any other one does is told as it is. */
function report(holds: boolean, statement: string): void {
  if (bundled) story.check(holds, statement);
  else story.remark(statement);
}

function agentCommand() {
  if (values.agent === undefined) return acproxyAgent({ store: join(scratch, 'sessions'), quiet: true });
  const [command = '', ...args] = splitCommand(values.agent);
  // The person who names an agent here wants it to run as it does in this shell, keys included.
  return { command, args, inheritEnv: true as const };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function describe(error: unknown): string {
  return AcpLauncherError.isInstance(error) ? `${error.code}: ${error.message}` : String(error);
}
