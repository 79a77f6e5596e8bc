import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicApi } from './models/anthropic.ts';
import { decideReply } from './models/decide-reply.ts';
import { geminiApi } from './models/gemini.ts';
import { asObject, asString } from './models/json.ts';
import type { Conversation, ModelApi, ModelApiName, ModelReply } from './models/model-api.ts';
import { openaiChatApi } from './models/openai-chat.ts';
import { openaiResponsesApi } from './models/openai-responses.ts';
import { sendJson } from './models/sse.ts';

const apis: Readonly<Record<ModelApiName, ModelApi>> = {
  anthropic: anthropicApi,
  'openai-responses': openaiResponsesApi,
  'openai-chat': openaiChatApi,
  gemini: geminiApi,
};

/** How the models fail while it is set: an HTTP status, a connection that is cut, or no answer at all. */
export type ModelFault = 401 | 429 | 500 | 'reset' | 'stall';

/** A request for an answer, as a model received it. */
export interface ModelRequest extends Conversation {
  readonly api: ModelApiName;
  readonly model: string;
  readonly headers: IncomingMessage['headers'];
  /** What was answered; undefined for a fault. */
  readonly reply?: ModelReply;
  readonly fault?: ModelFault;
  /** Whether the client left before the answer was complete. */
  abandoned: boolean;
}

export interface MockModels {
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** Requests to paths that no API has: the method and the path. */
  readonly unknown: readonly string[];
  fault: ModelFault | undefined;
  /** The first request, now or later, that fits; rejects after the deadline. */
  waitFor(fits: (request: ModelRequest) => boolean, timeoutMs?: number): Promise<ModelRequest>;
  close(): Promise<void>;
}

/** Starts the models on a free loopback port. They know only what each request tells them. */
export async function startMockModels(): Promise<MockModels> {
  const requests: ModelRequest[] = [];
  const unknown: string[] = [];
  const watchers = new Set<() => void>();
  const models = {
    url: '',
    requests,
    unknown,
    fault: undefined as ModelFault | undefined,
    waitFor(fits: (request: ModelRequest) => boolean, timeoutMs = 20_000) {
      return new Promise<ModelRequest>((resolve, reject) => {
        const stop = () => {
          watchers.delete(look);
          clearTimeout(timer);
        };
        const look = () => {
          const found = requests.find(fits);
          if (!found) return;
          stop();
          resolve(found);
        };
        const timer = setTimeout(() => {
          stop();
          reject(new Error(`no fitting model request within ${timeoutMs} ms`));
        }, timeoutMs);
        watchers.add(look);
        look();
      });
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const body = asObject(parse(await readBody(request)));
    const [name, api] =
      Object.entries(apis).find(
        ([, candidate]) => request.method === 'POST' && candidate.matches.test(path),
      ) ?? [];
    if (!api) {
      sendJson(response, ...answerSideRequest(request.method, path, unknown));
      return;
    }
    const conversation = api.read(body);
    const { fault } = models;
    const reply = fault === undefined ? decideReply(conversation) : undefined;
    const record: ModelRequest = {
      ...conversation,
      api: name as ModelApiName,
      model: asString(body['model']) || (/models\/([^:]+):/.exec(path)?.[1] ?? ''),
      headers: request.headers,
      ...(reply === undefined ? {} : { reply }),
      ...(fault === undefined ? {} : { fault }),
      abandoned: false,
    };
    response.on('close', () => (record.abandoned = !response.writableFinished));
    requests.push(record);
    for (const look of [...watchers]) look();
    if (reply) await api.answer({ path, body, reply, response });
    else fail(response, fault);
  };

  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) sendJson(response, 500, { error: { message: String(error) } });
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  models.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return models;
}

function fail(response: ServerResponse, fault: ModelFault | undefined): void {
  if (fault === 'reset') return void response.socket?.destroy();
  if (fault === 'stall' || fault === undefined) return;
  const type = { 401: 'authentication_error', 429: 'rate_limit_error', 500: 'api_error' }[fault];
  const status = { 401: 'UNAUTHENTICATED', 429: 'RESOURCE_EXHAUSTED', 500: 'INTERNAL' }[fault];
  const message = `the mock model was told to answer ${fault}`;
  sendJson(response, fault, { type: 'error', error: { type, message, code: fault, status } });
}

/** What agents ask beside answers: the models there are, and the length of a text in tokens. */
function answerSideRequest(method: string | undefined, path: string, unknown: string[]): [number, unknown] {
  if (path.endsWith('/count_tokens')) return [200, { input_tokens: 10 }];
  if (path.endsWith(':countTokens')) return [200, { totalTokens: 10 }];
  if (method === 'GET' && path.includes('/models')) {
    const model = { id: 'mock-model', object: 'model', type: 'model', display_name: 'Mock' };
    return [200, { object: 'list', data: [model], has_more: false, models: [{ name: 'models/mock-model' }] }];
  }
  if (method === 'HEAD') return [200, {}];
  unknown.push(`${method} ${path}`);
  return [404, { error: { type: 'not_found_error', message: 'the mock has no such path' } }];
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
