/** Usage: terminal-trees SCENARIO. Runs one of the scenarios below and reports what it saw and what is left. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { localTerminals } from '../../../../src/client/local-terminals.ts';
import { othersAlive, report } from '../../process/scripts/tracked-shell.ts';

const terminals = localTerminals({ roots: ['/'] });
const context = { signal: new AbortController().signal };

async function start(script: string, sessionId = 's') {
  const { terminalId } = await terminals.createTerminal(
    { sessionId, command: 'sh', args: ['-c', script] },
    context,
  );
  return { sessionId, terminalId };
}

type Ids = Awaited<ReturnType<typeof start>>;

const readOutput = async (ids: Ids) => await terminals.terminalOutput(ids, context);
const waitForExit = async (ids: Ids) => await terminals.waitForTerminalExit(ids, context);
const failure = async (work: Promise<unknown>) =>
  await work.then(
    () => undefined,
    (error: unknown) => (error as { rpcCode?: number }).rpcCode,
  );

/** Resolves when the command has written the text. */
async function printed(ids: Ids, text: string): Promise<void> {
  while (!(await readOutput(ids)).output.includes(text))
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Three processes, one of them in a session of its own, all deaf to SIGTERM. */
const stubborn = `trap '' TERM
  ( setsid sh -c "trap '' TERM; while :; do sleep 1; done" & )
  sh -c "trap '' TERM; echo ready; while :; do sleep 1; done" &
  while :; do sleep 1; done`;

const scenarios: Record<string, () => Promise<object>> = {
  async kill() {
    const ids = await start(stubborn);
    const waiting = waitForExit(ids);
    await printed(ids, 'ready');
    const running = await readOutput(ids);
    const before = othersAlive().length;
    await Promise.all([terminals.killTerminal(ids, context), terminals.killTerminal(ids, context)]);
    const alive = othersAlive();
    return { before: before >= 3, alive, running, waited: await waiting, after: await readOutput(ids) };
  },

  async killGently() {
    const ids = await start(`trap 'echo saved; exit 7' TERM; echo ready; while :; do sleep 0.02; done`);
    await printed(ids, 'ready');
    await terminals.killTerminal(ids, context);
    return { after: await readOutput(ids), alive: othersAlive() };
  },

  async release() {
    const ids = await start(stubborn);
    const waiting = waitForExit(ids);
    await printed(ids, 'ready');
    const released = terminals.releaseTerminal(ids, context);
    // Forgotten at once, not when the last process is gone.
    const duringRelease = await failure(readOutput(ids));
    await released;
    return {
      duringRelease,
      alive: othersAlive(),
      waited: await waiting,
      again: await failure(waitForExit(ids)),
    };
  },

  async closeSession() {
    const [mine, released, others] = await Promise.all([
      start(stubborn),
      start(stubborn),
      start(stubborn, 'other'),
    ]);
    await Promise.all([mine, released, others].map((ids) => printed(ids, 'ready')));
    const waiting = waitForExit(mine);
    void terminals.releaseTerminal(released, context);
    const starting = failure(start('echo too late; sleep 1000'));
    const closing = Promise.all([terminals.closeSession('s'), terminals.closeSession('s')]);
    await closing;
    const othersGoOn = (await readOutput(others)).exitStatus === null;
    const count = othersAlive().length;
    await terminals.closeSession('other');
    return {
      started: await starting,
      waited: await waiting,
      forgotten: await failure(readOutput(mine)),
      othersGoOn,
      othersAreAlive: count >= 3,
      alive: othersAlive(),
    };
  },

  async background() {
    const ids = await start('sh -c "sleep 0.5; echo late; sleep 1000" & echo done');
    const waited = await waitForExit(ids);
    const atExit = await readOutput(ids);
    await printed(ids, 'late');
    const aliveBefore = othersAlive().length > 0;
    await terminals.releaseTerminal(ids, context);
    return { waited, atExit, aliveBefore, alive: othersAlive() };
  },

  async abortedWait() {
    const ids = await start('echo ready; exec sleep 1000');
    const controller = new AbortController();
    const waiting = failure(
      Promise.resolve(terminals.waitForTerminalExit(ids, { signal: controller.signal })),
    );
    controller.abort();
    const code = await waiting;
    const goesOn = (await readOutput(ids)).exitStatus === null;
    await terminals.closeSession('s');
    return { code, goesOn, alive: othersAlive() };
  },

  async flood() {
    const ids = await start('yes');
    await printed(ids, 'y');
    const before = process.memoryUsage().rss;
    for (let timers = 0; timers < 20; timers += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    const grownMiB = (process.memoryUsage().rss - before) / 2 ** 20;
    await terminals.killTerminal(ids, context);
    const { output, truncated, exitStatus } = await readOutput(ids);
    return { length: output.length, truncated, exitStatus, bounded: grownMiB < 100, alive: othersAlive() };
  },

  /** A host that ends without a word to its terminals. */
  async host() {
    const ids = await start(stubborn);
    await printed(ids, 'ready');
    process.stdout.write('ready\n');
    process.exit(3);
  },

  async hostExit() {
    const host = spawn(process.execPath, [process.argv[1] ?? '', 'host'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [code] = (await once(host, 'exit')) as [number];
    return { code, alive: othersAlive() };
  },
};

report(await scenarios[process.argv[2] ?? '']?.());
process.exit(0);
