/** Usage: ladder MODE. Ends one agent that ignores the end of stdin; see ladder.test.ts for the modes. */
import { othersAlive, report, spawnTracked } from './tracked-shell.ts';

const patience = { closeGraceMs: 600_000, terminateGraceMs: 600_000 };
const haste = { closeGraceMs: 1, terminateGraceMs: 1 };
const ignoresEverything = "trap '' TERM; echo ready; while :; do sleep 1; done";

async function start(script: string) {
  const shell = spawnTracked(script);
  await shell.ready;
  return shell;
}

const modes: Record<string, () => Promise<unknown>> = {
  async now() {
    const { tree } = await start('echo ready; exec sleep 1000');
    return tree.terminate({ ...patience, now: true });
  },
  async escalate() {
    const { tree } = await start('echo ready; exec sleep 1000');
    const first = tree.terminate(patience);
    const second = tree.terminate({ ...patience, now: true });
    return { shared: first === second, ...(await first) };
  },
  async 'escalate-later'() {
    const { tree, stdout } = await start('echo ready; cat > /dev/null; echo eof; exec sleep 1000');
    const ending = tree.terminate(patience);
    await new Promise((resolve) => stdout.once('data', resolve)); // It is waiting for the agent to go.
    void tree.terminate({ ...patience, now: true });
    return ending;
  },
  async 'not-before'() {
    const { tree, exited } = await start(ignoresEverything);
    const notBefore = performance.now() + 700;
    const diedEarly = exited.then(() => performance.now() < notBefore);
    const { endedBy } = await tree.terminate({ ...haste, notBefore });
    return { endedBy, diedEarly: await diedEarly };
  },
  async 'not-before-now'() {
    const { tree } = await start(ignoresEverything);
    return tree.terminate({ ...haste, now: true, notBefore: performance.now() + 600_000 });
  },
  async gone() {
    const { tree, exited } = spawnTracked('echo ready; exit 3');
    await exited;
    return tree.terminate(patience);
  },
  async again() {
    const { tree } = await start('echo ready; exec sleep 1000');
    await tree.terminate({ ...haste, now: true });
    return tree.terminate(patience);
  },
};

const result = await modes[process.argv[2] ?? '']?.();
report({ result, survivors: othersAlive() });
process.exit(0);
