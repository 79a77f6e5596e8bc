import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { faultyAgent } from '../../fixtures/index.ts';
import { AcpLauncherError, SessionManager, type ErrorCode, type ManagedTurn } from '../../src/index.ts';
import { takeStock, type Holdings } from './launch-cycles.ts';
import { received, textOf } from './received.ts';
import { SeededRandom } from './seeded-random.ts';
import { SeenProcess } from './seen-process.ts';

export interface SoakOptions {
  readonly folder: string;
  readonly seed: number;
  readonly seconds: number;
  /** It goes on until a number was asked for and had so often, however slow the machine. @defaultValue 0 */
  readonly minRemembered?: number;
  readonly projects: number;
  readonly maxAgents: number;
  /** The longest pause of a project between two things that it does. */
  readonly pauseMs: number;
}

export interface SoakReport {
  /** How often each thing was done. */
  readonly actions: Record<string, number>;
  /** How requests and turns ended that did not end well, by code. */
  readonly endings: Record<string, number>;
  readonly answers: number;
  /** How often a project was asked for its number, and had it. */
  readonly remembered: number;
  readonly agents: number;
  /** What must not be: each is one line. */
  readonly wrong: readonly string[];
  readonly unsettled: number;
  readonly survivors: readonly number[];
  readonly before: Holdings;
  readonly after: Holdings;
}

/** What may come of a request whose agent is killed, stopped or evicted under it. */
const expected = new Set<ErrorCode>(['agent-exited', 'closed', 'too-many-agents', 'session-busy', 'aborted']);

/**
 * Many projects at once, each doing one random thing after another, while somebody else kills and stops what it
 * finds. Every project is told a number of its own: who asks for it learns whether the conversation is still there,
 * and whether it is the right one.
 */
export async function runProjectSoak(options: SoakOptions): Promise<SoakReport> {
  const before = await takeStock();
  const report = await new Soak(options).run();
  return { ...report, before, after: await takeStock() };
}

class Soak {
  readonly #options: SoakOptions;
  readonly #manager: SessionManager;
  readonly #random: SeededRandom;
  readonly #endsAt: number;
  readonly #agents: SeenProcess[] = [];
  readonly #wrong: string[] = [];
  readonly #actions: Record<string, number> = {};
  readonly #endings: Record<string, number> = {};
  #unsettled = 0;
  #answers = 0;
  remembered = 0;

  constructor(options: SoakOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed);
    this.#endsAt = performance.now() + options.seconds * 1_000;
    this.#manager = new SessionManager({
      launcher: {
        ...faultyAgent([], { store: join(options.folder, 'store'), record: join(options.folder, 'record') }),
        cancelTimeoutMs: 300,
        closeGraceMs: 2_000,
      },
      maxAgents: options.maxAgents,
      maxStartingAgents: 4,
      idleTimeoutMs: 2_000,
      maxCrashes: 1_000_000,
      crashBackoffMs: 0,
    });
    const live = new Map<string, number>();
    this.#manager.on('session-open', ({ projectId, session: { connection } }) => {
      this.#agents.push(new SeenProcess(connection.pid));
      const other = live.get(projectId);
      if (other !== undefined && other !== connection.pid)
        this.#wrong.push(`${projectId} has two agents: ${other} and ${connection.pid}`);
      live.set(projectId, connection.pid);
    });
    this.#manager.on('agent-exit', ({ projectId, pid }) => {
      if (live.get(projectId) === pid) live.delete(projectId);
    });
    this.#manager.on(
      'listener-error',
      ({ error }) => void this.#wrong.push(`listener-error: ${String(error)}`),
    );
    this.#manager.on('store-error', ({ error }) => void this.#wrong.push(`store-error: ${String(error)}`));
    // An agent that was killed before it read the first prompt knows nothing of the session.
    const answered = new Set<string>();
    this.#manager.on('session-update', ({ session, phase }) => {
      if (phase === 'turn') answered.add(session.sessionId);
    });
    this.#manager.on('resume-fallback', ({ projectId, resume }) => {
      const { status, requestedSessionId, evidence } = resume;
      if (answered.has(requestedSessionId))
        this.#wrong.push(`${projectId} lost its session: ${status}, ${evidence.text}`);
    });
  }

  async run(): Promise<Omit<SoakReport, 'before' | 'after'>> {
    const ids = Array.from({ length: this.#options.projects }, (_, index) => index);
    await Promise.all([...ids.map((index) => this.#live(index)), this.#interfere()]);
    await this.#settled(this.#manager.shutdown());
    this.#wrong.push(...receivedTwice(join(this.#options.folder, 'record')));
    return {
      actions: this.#actions,
      endings: this.#endings,
      answers: this.#answers,
      remembered: this.remembered,
      agents: this.#agents.length,
      wrong: this.#wrong,
      unsettled: this.#unsettled,
      survivors: this.#agents.flatMap((agent) => (agent.isGone ? [] : [agent.pid])),
    };
  }

  /** One project's life. */
  async #live(index: number): Promise<void> {
    const project = new SoakProject(index, this.#options.folder);
    for (let round = 0; !this.#isOver; round += 1) {
      const action = this.#random.pick(often);
      this.#actions[action] = (this.#actions[action] ?? 0) + 1;
      await this.#settled(actions[action].call(this, project, round)).catch((error: unknown) => {
        this.#wrong.push(`${project.projectId} ${action}: ${String(error)}`);
      });
      await delay(this.#random.below(this.#options.pauseMs));
    }
  }

  /** Kills and stops whatever is there, in turns and between them. */
  async #interfere(): Promise<void> {
    while (!this.#isOver) {
      await delay(this.#random.below(300));
      const live = this.#manager.list();
      if (live.length === 0) continue;
      const projectId = this.#random.pick(live);
      const connection = this.#manager.get(projectId)?.connection;
      const kills = this.#random.below(3) > 0;
      const action = kills ? 'is killed' : 'is stopped by another';
      this.#actions[action] = (this.#actions[action] ?? 0) + 1;
      // Not reaped yet, so nobody else can have its id.
      if (kills && connection !== undefined && connection.exit === undefined)
        process.kill(connection.pid, 'SIGKILL');
      if (!kills) await this.#settled(this.#manager.stop(projectId));
    }
  }

  get #isOver(): boolean {
    return performance.now() >= this.#endsAt && this.remembered >= (this.#options.minRemembered ?? 0);
  }

  /** What `prompt` comes to: the text of the turn, or the code with which it failed. */
  async ask(
    project: SoakProject,
    prompt: string,
    extra: object = {},
  ): Promise<{ text?: string; code?: string }> {
    try {
      const managed = await this.#settled(this.#manager.prompt({ ...project.request, ...extra, prompt }));
      return await this.#readTurn(managed);
    } catch (error) {
      return this.#ended(error);
    }
  }

  async #readTurn({ turn }: ManagedTurn): Promise<{ text?: string; code?: string }> {
    try {
      const { stopReason } = await this.#settled(turn.result);
      this.#answers += 1;
      return stopReason === 'cancelled' ? { code: 'cancelled' } : { text: turn.textSoFar };
    } catch (error) {
      return this.#ended(error);
    }
  }

  #ended(error: unknown): { code: string } {
    const code = AcpLauncherError.isInstance(error) ? error.code : undefined;
    if (code === undefined || !expected.has(code)) this.#wrong.push(`unexpected: ${String(error)}`);
    const name = code ?? 'unknown';
    this.#endings[name] = (this.#endings[name] ?? 0) + 1;
    return { code: name };
  }

  /** The promise, which is counted as unsettled until it is settled. */
  async #settled<T>(promise: Promise<T>): Promise<T> {
    this.#unsettled += 1;
    try {
      return await promise;
    } finally {
      this.#unsettled -= 1;
    }
  }

  expect(project: SoakProject, what: string, isRight: boolean): void {
    if (!isRight) this.#wrong.push(`${project.projectId}: ${what}`);
  }

  get manager(): SessionManager {
    return this.#manager;
  }

  get random(): SeededRandom {
    return this.#random;
  }
}

/** A prompt is sent once, whatever happens to its agent. */
function receivedTwice(record: string): string[] {
  const texts = received(record, 'session/prompt')
    .map(textOf)
    .filter((text) => text.startsWith('/echo project'));
  const seen = new Set<string>();
  return texts.flatMap((text) => {
    if (!seen.has(text)) {
      seen.add(text);
      return [];
    }
    return [`was sent twice: ${text}`];
  });
}

/** What is known of a project from the outside. */
class SoakProject {
  readonly projectId: string;
  readonly number: number;
  readonly #path: string;
  model = 'model-a';
  /** Whether its conversation holds the number; `undefined` where that can't be known. */
  isTold: boolean | undefined = false;

  constructor(index: number, folder: string) {
    this.projectId = nameOf(index);
    this.number = 1_000 + index;
    this.#path = join(folder, this.projectId);
    mkdirSync(this.#path, { recursive: true });
  }

  get request() {
    const { projectId, model } = this;
    const modelProvider = { id: 'p', name: 'P', baseUrl: '', apiKey: '', defaultModel: model };
    return { projectId, projectPath: this.#path, modelProvider };
  }
}

function nameOf(index: number): string {
  return `project-${index}`;
}

type Action = (this: Soak, project: SoakProject, round: number) => Promise<void>;

const actions = {
  async says(project, round) {
    const words = `${project.projectId} says ${round}`;
    const { text } = await this.ask(project, `/echo ${words}`);
    if (text !== undefined) this.expect(project, `was answered ${text}`, text === words);
  },

  async 'says two things at once'(project, round) {
    const words = ['a', 'b'].map((name) => `${project.projectId} says ${round} ${name}`);
    const answers = await Promise.all(words.map((text) => this.ask(project, `/echo ${text}`)));
    answers.forEach(({ text }, index) => {
      if (text !== undefined) this.expect(project, `was answered ${text}`, text === words[index]);
    });
  },

  async remembers(project) {
    const { text } = await this.ask(project, `记住数字 ${project.number}`);
    project.isTold = text === undefined ? project.isTold === true || undefined : true;
  },

  async 'asks for its number'(project) {
    const { text } = await this.ask(project, '我之前说的数字是多少？');
    if (text === undefined || project.isTold === undefined) return;
    const expectedText = project.isTold ? `你之前说的数字是 ${project.number}。` : '你还没有告诉我任何数字。';
    this.expect(project, `should have heard "${expectedText}", and heard "${text}"`, text === expectedText);
    if (project.isTold) this.remembered += 1;
  },

  async crashes(project) {
    const { text } = await this.ask(project, '/crash');
    this.expect(project, 'survived a crash', text === undefined);
  },

  async cancels(project) {
    const asked = this.ask(project, '/slow 60000');
    await cancelSoon(this, project, asked);
  },

  async 'cancels an agent that ignores it'(project) {
    const asked = this.ask(project, '/hang');
    await cancelSoon(this, project, asked);
  },

  async 'is cancelled before it begins'(project, round) {
    const words = `${project.projectId} says ${round}, if it may`;
    const asked = this.ask(project, `/echo ${words}`);
    await delay(this.random.below(400));
    await this.manager.cancel(project.projectId);
    const { text } = await asked;
    if (text !== undefined) this.expect(project, `was answered ${text}`, text === words);
  },

  async 'gives up'(project) {
    const controller = new AbortController();
    const asked = this.ask(project, `/slow ${this.random.below(50)}`, { signal: controller.signal });
    await delay(this.random.below(200));
    controller.abort();
    await asked;
  },

  async 'changes its model'(project) {
    project.model = this.random.pick(['model-a', 'model-b', 'model-c']);
    const { text } = await this.ask(project, '/env OPENAI_MODEL');
    if (text !== undefined)
      this.expect(project, `runs with ${text}, not ${project.model}`, text === project.model);
  },

  async 'is stopped'(project) {
    await this.manager.stop(project.projectId);
  },

  async 'begins anew'(project) {
    const { text } = await this.ask(project, '/echo anew', { newSession: true });
    project.isTold = text === undefined ? undefined : false;
  },

  async 'is forgotten'(project) {
    await this.manager.forget(project.projectId);
    project.isTold = false;
  },
} satisfies Record<string, Action>;

/** What is done, as often as it stands here: talk more than trouble. */
const talk = ['says', 'says two things at once', 'remembers', 'asks for its number'] as const;
const often = [...talk, ...talk, ...talk, ...(Object.keys(actions) as (keyof typeof actions)[])];

/** Cancels until the turn is over: it may only have begun after the first cancel. */
async function cancelSoon(
  soak: Soak,
  project: SoakProject,
  asked: Promise<{ text?: string; code?: string }>,
): Promise<void> {
  const turn = { isOver: false };
  const over = asked.then(({ text }) => {
    turn.isOver = true;
    soak.expect(project, `a turn without an end ended with ${text}`, text === undefined);
  });
  while (!turn.isOver) {
    await Promise.race([over, delay(soak.random.below(100) + 10)]);
    await soak.manager.cancel(project.projectId);
  }
  await over;
}
