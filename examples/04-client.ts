// Be a good client: grant what is read, jail files and terminals to the project, ask a person for the rest.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentLauncher, askPermission, localTerminals, workspaceFiles, type AgentClient } from 'acp-launcher';
import { faultyAgent } from 'acp-launcher/fixtures';

const project = await realpath(await mkdtemp(join(tmpdir(), 'acp-launcher-example-')));
const asked: (string | null | undefined)[] = [];
const client: AgentClient = {
  requestPermission: askPermission((request) => {
    asked.push(request.toolCall.title);
    return 'allow';
  }),
  ...workspaceFiles({ roots: [project] }),
  ...localTerminals({ roots: [project] }),
};

// The bundled test agent does what its prompts say.
const session = await new AgentLauncher(faultyAgent([])).launch('example', project, undefined, {}, client);
console.log(await session.prompt(`/write ${join(project, 'notes.txt')} written by the agent`).text());
console.log(await session.prompt(`/read ${join(project, '..', 'elsewhere.txt')}`).text());
const permission = await session.prompt('/permission allow_once').text();
console.log(permission);
console.log(await session.prompt('/terminal echo hello').text());
await session.close();

assert.equal(await readFile(join(project, 'notes.txt'), 'utf8'), 'written by the agent');
assert.equal(asked.length, 1);
assert.match(permission, /selected/);
await rm(project, { recursive: true });
