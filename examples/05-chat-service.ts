// An agent-runner service: POST /chat for a project, updates as server-sent events, agents that stop and go on.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AcpLauncherError, SessionManager, fileSessionStore } from 'acp-launcher';
import { acproxyAgent } from 'acp-launcher/fixtures';

const folder = await mkdtemp(join(tmpdir(), 'acp-launcher-example-'));
const manager = new SessionManager({
  launcher: acproxyAgent({ store: join(folder, 'agent'), quiet: true }),
  store: fileSessionStore(join(folder, 'pointers')),
  maxAgents: 50,
});

interface ChatRequest {
  readonly project_id: string;
  readonly session_id?: string;
  readonly prompt: string;
}

async function chat(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const send = (event: string, data: unknown) =>
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const chunks = (await request.toArray()) as Buffer[];
  const body = JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
  const left = new AbortController();
  response.on('close', () => left.abort());
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  try {
    const { session, turn } = await manager.prompt({
      projectId: body.project_id,
      projectPath: folder,
      sessionId: body.session_id,
      prompt: body.prompt,
      signal: left.signal,
    });
    send('session', { session_id: session.sessionId, resume: session.resume.status });
    for await (const update of turn) send('update', update);
    send('end', await turn.result);
  } catch (error) {
    send('error', AcpLauncherError.isInstance(error) ? { code: error.code, message: error.message } : {});
  }
  response.end();
}

const server = createServer((request, response) => void chat(request, response)).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`;
const ask = async (body: ChatRequest) =>
  (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).text();

const first = await ask({ project_id: 'proj1', prompt: '记住数字 42' });
const sessionId = /"session_id":"([^"]+)"/.exec(first)?.[1] ?? '';
// The agent crashes; the next message finds the conversation again.
await manager.get('proj1')?.connection.kill();
const second = await ask({ project_id: 'proj1', session_id: sessionId, prompt: '我之前说的数字是多少？' });
const third = await ask({ project_id: 'proj1', session_id: 'non-existent-session-id', prompt: 'Hello' });
console.log(second, third);

await manager.shutdown();
server.close();
await rm(folder, { recursive: true });
assert.match(first, /"resume":"fresh"/);
assert.match(second, /"resume":"resumed"[\s\S]*42/);
assert.match(third, /"resume":"fell-back"/);
