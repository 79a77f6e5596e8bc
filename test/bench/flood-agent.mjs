// An agent that answers a prompt of `COUNT BYTES` with so many updates of so many bytes of text, as fast as the pipe
// takes them: what is measured is the reader.
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import process from 'node:process';

const sessionId = 'flood';
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

async function flood(id, count, bytes) {
  const content = { type: 'text', text: 'x'.repeat(bytes) };
  const params = { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } };
  const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params })}\n`;
  const perWrite = Math.max(1, Math.floor(65_536 / line.length));
  const block = Buffer.from(line.repeat(perWrite));
  for (let sent = 0; sent < count; sent += perWrite) {
    const part = count - sent < perWrite ? Buffer.from(line.repeat(count - sent)) : block;
    if (!process.stdout.write(part)) await once(process.stdout, 'drain');
  }
  send({ id, result: { stopReason: 'end_turn' } });
}

let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
    if (method === 'session/new') send({ id, result: { sessionId } });
    if (method === 'session/prompt') void flood(id, ...params.prompt[0].text.split(' ').map(Number));
  }
});
