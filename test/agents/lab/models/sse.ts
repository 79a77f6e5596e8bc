import type { ServerResponse } from 'node:http';
import type { ModelReply } from './model-api.ts';

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Starts a stream of server-sent events; an event to a client that has left is dropped. */
export function startEvents(response: ServerResponse): (name: string | undefined, data: unknown) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return (name, data) => {
    if (response.destroyed || response.writableEnded) return;
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`);
  };
}

/** The pieces of a text reply, with its pauses; ends early when the client has left. */
export async function* piecesOf(
  reply: Extract<ModelReply, { kind: 'text' }>,
  response: ServerResponse,
): AsyncGenerator<string> {
  for (const piece of reply.pieces) {
    if (reply.pauseMs > 0) await pause(response, reply.pauseMs);
    if (response.destroyed) return;
    yield piece;
  }
}

function pause(response: ServerResponse, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      response.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    response.on('close', done);
    if (response.destroyed) done();
  });
}
