import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AcpLauncherError, type SessionPointer } from 'acp-launcher';
import { agentFolder } from '../lab/cache.ts';
import type { ScenarioContext } from '../lab/scenario-context.ts';
import { describeError, messageOf } from '../lab/words.ts';
import { askForNumber, laterManager, recallPrompt, rememberAndKill } from './remember.ts';
import type { Scenario } from './scenario.ts';

// The adapters of Claude Code run it as an inner process, which can be replaced by CLAUDE_CODE_EXECUTABLE.

/** Some adapters never answer when it is gone; far above what an answer takes, and below the default, which is long. */
const sessionTimeoutMs = 30_000;

export const brokenInner: Scenario = {
  name: 'broken-inner',
  shows:
    'the inner executable is broken when a conversation is resumed: no fallback, the error, and the pointer kept',
  async run(context) {
    const store = new Map<string, SessionPointer>();
    const sessionId = await rememberAndKill(context, store);
    const executable = script(context, 'broken', 'echo boom >&2; exit 7');
    const launcher = context.launcher({ sessionTimeoutMs, env: { CLAUDE_CODE_EXECUTABLE: executable } });
    const manager = laterManager(context, store, { launcher });
    const startedAt = performance.now();
    const failure: unknown = await manager.prompt(context.request({ prompt: recallPrompt })).then(
      () => undefined,
      (error: unknown) => error,
    );
    const failedMs = performance.now() - startedAt;
    await manager.shutdown();
    const repaired = laterManager(context, store);
    const after = await askForNumber(context, () =>
      repaired.prompt(context.request({ prompt: recallPrompt })),
    );
    const both =
      AcpLauncherError.isInstance(failure) && failure.resumeError !== undefined ? " with the resume's" : '';
    return {
      verdict: `${failure === undefined ? 'no error' : describeError(failure)}${both}; repaired: ${after.verdict}`,
      aside: messageOf(failure),
      times: { failed: failedMs },
      details: { failure, sessionId, pointer: Object.fromEntries(store) },
    };
  },
};

export const transientCrash: Scenario = {
  name: 'transient-crash',
  shows: 'the inner process crashes once while a conversation is resumed: the second attempt gets it back',
  async run(context) {
    const store = new Map<string, SessionPointer>();
    await rememberAndKill(context, store);
    const mark = join(context.folders.temporary, 'crashed-once');
    const crash = `case "$*" in *resume*) [ -e '${mark}' ] || { touch '${mark}'; exit 7; };; esac`;
    const crashOnce = `${crash}; exec ${realExecutable(context)} "$@"`;
    const executable = script(context, 'crash-once', crashOnce);
    const launcher = context.launcher({ sessionTimeoutMs, env: { CLAUDE_CODE_EXECUTABLE: executable } });
    const manager = laterManager(context, store, { launcher });
    const ask = () => askForNumber(context, () => manager.prompt(context.request({ prompt: recallPrompt })));
    return ask().catch(async (error: unknown) => {
      const { verdict, ...rest } = await ask();
      return { ...rest, verdict: `${describeError(error)}; asked again: ${verdict}` };
    });
  },
};

export const emptyTranscript: Scenario = {
  name: 'empty-transcript',
  shows:
    'the transcript is empty, as a SIGTERM in the first turn leaves it: one visible fallback, and then it works',
  async run(context) {
    const store = new Map<string, SessionPointer>();
    const sessionId = await rememberAndKill(context, store);
    writeFileSync(transcriptOf(context, sessionId), '');
    const manager = laterManager(context, store);
    const first = await askForNumber(context, () =>
      manager.prompt(context.request({ prompt: recallPrompt })),
    );
    const second = await manager.prompt(context.request({ prompt: 'remember the number 7' }));
    const text = await second.turn.text();
    return {
      ...first,
      verdict: `${first.verdict}; then ${second.action}, ${text.includes('Noted: 7.') ? 'answered' : 'not answered'}`,
    };
  },
};

function script(context: ScenarioContext, name: string, body: string): string {
  const file = join(context.folders.temporary, name);
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** The command that the adapter would have run by itself, for a shell: a script of its own, or a binary beside it. */
function realExecutable({ agent }: ScenarioContext): string {
  const packages = join(agentFolder(agent.name), 'node_modules', '@anthropic-ai');
  const cli = join(packages, 'claude-agent-sdk', 'cli.js');
  if (existsSync(cli)) return `node '${cli}'`;
  const platform = readdirSync(packages).find((name) => existsSync(join(packages, name, 'claude')));
  if (platform === undefined) throw new Error(`no Claude Code in ${packages}`);
  return `'${join(packages, platform, 'claude')}'`;
}

function transcriptOf({ folders }: ScenarioContext, sessionId: string): string {
  const projects = join(folders.home, '.claude', 'projects');
  const file = readdirSync(projects, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith(`${sessionId}.jsonl`),
  );
  if (file === undefined) throw new Error(`no transcript of ${sessionId}`);
  return join(projects, file);
}
