import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import type { AgentClient } from '../../../src/client/agent-client.ts';
import { bufferBlock } from '../../../src/client/content-blocks.ts';
import { localTerminals } from '../../../src/client/local-terminals.ts';
import { askPermission } from '../../../src/client/permissions.ts';
import { workspaceFiles } from '../../../src/client/workspace-files.ts';
import { agentRuns, failureOf } from '../../helpers/agent-runs.ts';

const runs = agentRuns();

/** What the agent is answered to one prompt command. */
async function ask(command: string, client: AgentClient): Promise<unknown> {
  const session = await runs.open(faultyAgent([]), { client });
  return JSON.parse(await session.prompt(command).text());
}

test('files of the workspace are read by lines and written, and those outside are refused', async () => {
  const [read, written] = [runs.folder.file('read.txt'), runs.folder.file('new', 'written.txt')];
  writeFileSync(read, 'one\ntwo\nthree\n');
  const files = workspaceFiles({ roots: [runs.folder.path] });
  expect(await ask(`/read ${read} 2 1`, files)).toEqual({ result: { content: 'two\n' } });
  expect(await ask(`/write ${written} hello there`, files)).toEqual({ result: {} });
  expect(readFileSync(written, 'utf8')).toBe('hello there');
  expect(await ask(`/read ${runs.folder.path}/../../etc/passwd`, files)).toMatchObject({
    error: { code: -32602 },
  });
});

test('without writing an agent hears that there is no such method', async () => {
  const files = workspaceFiles({ roots: [runs.folder.path], readOnly: true });
  expect(await ask(`/write ${runs.folder.file('a')} x`, files)).toMatchObject({ error: { code: -32601 } });
});

test('a terminal runs its command where the workspace is', async () => {
  const terminals = localTerminals({ roots: [runs.folder.path], env: { FROM_THE_TEST: 'yes' } });
  expect(await ask('/terminal pwd', terminals)).toMatchObject({
    exit: { exitCode: 0, signal: null },
    output: { output: `${runs.folder.path}\n`, truncated: false },
  });
  expect(await ask('/terminal printenv FROM_THE_TEST', terminals)).toMatchObject({
    output: { output: 'yes\n' },
  });
});

test('B41 a person who takes too long has decided nothing', async () => {
  const signals: AbortSignal[] = [];
  const requestPermission = askPermission(
    (_request, { signal }) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    },
    { timeoutMs: 50 },
  );
  expect(await ask('/permission', { requestPermission })).toEqual({
    result: { outcome: { outcome: 'cancelled' } },
  });
  expect(signals.map((signal) => signal.aborted)).toEqual([true]);
});

test('a block that the agent does not take is named, and nothing is sent', async () => {
  const session = await runs.open(faultyAgent([], { record: runs.record }));
  const png = bufferBlock(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), { name: 'a.png' });
  const turn = session.prompt([{ type: 'text', text: 'see' }, png]);
  expect(await failureOf(turn.result)).toMatchObject({
    code: 'unsupported-content',
    facts: { field: 'prompt[1]' },
  });
  expect(runs.received('session/prompt')).toEqual([]);
});
