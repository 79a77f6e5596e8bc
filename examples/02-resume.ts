// An agent that dies is started again, and the conversation goes on.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentLauncher } from 'acp-launcher';
import { acproxyAgent } from 'acp-launcher/fixtures';

const store = await mkdtemp(join(tmpdir(), 'acp-launcher-example-'));
const launcher = new AgentLauncher(acproxyAgent({ store }));

const first = await launcher.launch('example', '.', undefined, {}, {});
await first.prompt('记住数字 42').result;
await first.connection.kill();

const second = await launcher.launch('example', '.', undefined, { resumeSessionId: first.sessionId }, {});
const answer = await second.prompt('我之前说的数字是多少？').text();
console.log(second.resume, answer);
await second.close();
await rm(store, { recursive: true });

assert.equal(second.resume.status, 'resumed');
assert.equal(second.sessionId, first.sessionId);
assert.match(answer, /42/);
