import type { SessionPointer } from 'acp-launcher';
import { writeHomeFiles } from '../lab/isolate.ts';
import {
  askForNumber,
  laterManager,
  recallPrompt,
  rememberAndClose,
  rememberAndKill,
  untilWritten,
} from './remember.ts';
import type { Scenario } from './scenario.ts';

export const fortyTwo: Scenario = {
  name: '42',
  shows:
    'a number is remembered, the agent is killed, a later service resumes the conversation from the store',
  async run(context) {
    const store = new Map<string, SessionPointer>();
    await rememberAndKill(context, store);
    const manager = laterManager(context, store);
    return askForNumber(context, () => manager.prompt(context.request({ prompt: recallPrompt })));
  },
};

export const fortyTwoNative: Scenario = {
  name: '42-native',
  shows: "the same with `strategy: 'native'`: `session/resume`, else `session/load`",
  async run(context) {
    const store = new Map<string, SessionPointer>();
    await rememberAndKill(context, store);
    const manager = laterManager(context, store, { resumePolicy: { strategy: 'native' } });
    return askForNumber(context, () => manager.prompt(context.request({ prompt: recallPrompt })));
  },
};

export const fortyTwoMeta: Scenario = {
  name: '42-launch',
  shows: '`launch` with a `resumeSessionId`: one `session/new` with the hint in `_meta`, and no fallback',
  async run(context) {
    const store = new Map<string, SessionPointer>();
    const resumeSessionId = await rememberAndKill(context, store);
    const session = await context.launch({ resumeSessionId });
    return askForNumber(context, () => Promise.resolve({ session, turn: session.prompt(recallPrompt) }));
  },
};

export const fortyTwoHint: Scenario = {
  name: '42-hint',
  shows:
    "the same with `strategy: 'meta'`: an ignored hint is told, and the conversation that was left is still reached by its id",
  timeoutMs: 240_000,
  async run(context) {
    const store = new Map<string, SessionPointer>();
    const sessionId = await rememberAndKill(context, store);
    const manager = laterManager(context, store, { resumePolicy: { strategy: 'meta' } });
    const told: string[] = [];
    manager.on('resume-fallback', ({ resume }) => told.push(resume.status));
    const hinted = await askForNumber(context, () =>
      manager.prompt(context.request({ prompt: recallPrompt })),
    );
    await manager.shutdown();
    const kept = [...store.values()].some(({ previousSessionIds }) => previousSessionIds.includes(sessionId));
    const native = laterManager(context, new Map());
    const reached = await askForNumber(context, () =>
      native.prompt(context.request({ prompt: recallPrompt, sessionId })),
    );
    return {
      ...hinted,
      verdict: `${hinted.verdict}; told: ${told.join(', ')}; the old id is ${kept ? 'kept' : 'lost'}: ${reached.verdict}`,
    };
  },
};

export const secondResume: Scenario = {
  name: 'second-resume',
  shows: 'a conversation that was resumed and killed once more is resumed again',
  timeoutMs: 240_000,
  async run(context) {
    const store = new Map<string, SessionPointer>();
    await rememberAndKill(context, store);
    const between = laterManager(context, store);
    const { session, turn } = await between.prompt(context.request({ prompt: 'which number did I say?' }));
    await turn.result;
    await untilWritten(context);
    process.kill(session.connection.pid, 'SIGKILL');
    await session.connection.exited;
    await between.shutdown();
    const manager = laterManager(context, store);
    return askForNumber(context, () => manager.prompt(context.request({ prompt: recallPrompt })));
  },
};

export const secondResumeKept: Scenario = {
  name: 'second-resume-kept',
  shows: 'the same, with the setting that keeps the agent from deleting its own sessions',
  timeoutMs: 240_000,
  run(context) {
    writeHomeFiles(context.folders.home, context.agent.keepSessionsFiles ?? {});
    return secondResume.run(context);
  },
};

export const otherDirectory: Scenario = {
  name: 'other-directory',
  shows: 'a conversation of one directory is asked for in another',
  async run(context) {
    const sessionId = await rememberAndClose(context);
    const manager = context.manager();
    const request = context.request({
      prompt: recallPrompt,
      sessionId,
      projectPath: context.folders.otherProject,
    });
    return askForNumber(context, () => manager.prompt(request));
  },
};
