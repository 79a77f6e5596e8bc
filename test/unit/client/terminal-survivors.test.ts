import { beforeEach, expect, test, vi } from 'vitest';
import { localTerminals } from '../../../src/client/local-terminals.ts';
import { temporaryDirectory } from './temporary-directory.ts';

// No process can be made that survives SIGKILL on demand, so the tree is a stand-in here.
type Terminate = () => Promise<{ endedBy: string; survivors: number[] }>;
const makeTree = () => ({ noteExit: vi.fn(), terminate: vi.fn<Terminate>(), release: vi.fn() });
let tree: ReturnType<typeof makeTree>;
vi.mock('../../../src/process/terminate-agent.ts', async (load) => ({
  ...(await load<object>()),
  trackTree: () => tree,
}));

const context = { signal: new AbortController().signal };

beforeEach(() => {
  tree = makeTree();
});

async function start() {
  const terminals = localTerminals({ roots: [temporaryDirectory()] });
  const { terminalId } = await terminals.createTerminal(
    { sessionId: 's', command: 'sleep', args: ['0.3'] },
    context,
  );
  return { terminals, ids: { sessionId: 's', terminalId } };
}

test('what survives every signal is an error for the agent, and another call tries again', async () => {
  const { terminals, ids } = await start();
  tree.terminate.mockResolvedValueOnce({ endedBy: 'SIGKILL', survivors: [7, 8] });
  await expect(terminals.killTerminal(ids, context)).rejects.toMatchObject({
    rpcCode: -32603,
    message: '2 processes of the terminal survived every signal',
  });
  expect(tree.release).not.toHaveBeenCalled();
  // Nobody waits for a process that can't end.
  expect(await terminals.waitForTerminalExit(ids, context)).toEqual({ exitCode: null, signal: null });

  tree.terminate.mockResolvedValueOnce({ endedBy: 'SIGKILL', survivors: [] });
  expect(await terminals.killTerminal(ids, context)).toEqual({});
  expect(await terminals.killTerminal(ids, context)).toEqual({});
  expect(tree.terminate).toHaveBeenCalledTimes(2);
  expect(tree.release).toHaveBeenCalledTimes(1);
});

test('what survives the end of a session is an error that lists it', async () => {
  const { terminals } = await start();
  tree.terminate.mockResolvedValueOnce({ endedBy: 'SIGKILL', survivors: [7, 8] });
  await expect(terminals.closeSession('s')).rejects.toMatchObject({
    code: 'shutdown-incomplete',
    phase: 'shutdown',
    facts: { sessionId: 's', survivors: [7, 8] },
  });
  await terminals.closeSession('s');
});

test('the tree hears of the exit in the handler of the event', async () => {
  const { terminals, ids } = await start();
  await terminals.waitForTerminalExit(ids, context);
  expect(tree.noteExit).toHaveBeenCalledTimes(1);
  tree.terminate.mockResolvedValueOnce({ endedBy: 'exit', survivors: [] });
  await terminals.closeSession('s');
});
