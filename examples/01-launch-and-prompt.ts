// Launch the bundled agent, send one prompt, watch its updates, close.
import assert from 'node:assert/strict';
import { AgentLauncher } from 'acp-launcher';
import { acproxyAgent } from 'acp-launcher/fixtures';

const launcher = new AgentLauncher(acproxyAgent());
const session = await launcher.launch('example', '.', undefined, {}, {});

const turn = session.prompt('/help');
let chunks = 0;
for await (const update of turn) {
  if (update.sessionUpdate === 'agent_message_chunk') chunks += 1;
}
console.log(await turn.text());
console.log(`${chunks} chunks, ended with ${(await turn.result).stopReason}`);

await session.close();
assert.equal((await turn.result).stopReason, 'end_turn');
assert.ok(chunks > 0);
assert.ok(session.connection.exit, 'the agent is gone when close() resolves');
