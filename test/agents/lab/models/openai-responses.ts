import { randomUUID } from 'node:crypto';
import { asArray, asObject, asString, textOf, type JsonObject } from './json.ts';
import { replyText, type Conversation, type ModelApi, type ModelMessage } from './model-api.ts';
import { piecesOf, sendJson, startEvents } from './sse.ts';

function read(body: JsonObject): Conversation {
  const input = body['input'];
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : asArray(input).map(asObject);
  const isSystem = (item: JsonObject) => item['role'] === 'system' || item['role'] === 'developer';
  return {
    system: [textOf(body['instructions']), textOf(items.filter(isSystem))].filter(Boolean).join('\n'),
    messages: items.filter((item) => !isSystem(item)).flatMap(readItem),
    tools: asArray(body['tools']).flatMap((tool) => toolNames(asObject(tool))),
  };
}

function readItem(item: JsonObject): ModelMessage[] {
  if (asString(item['type']).endsWith('_call_output'))
    return [{ role: 'tool', text: textOf(item['output']) }];
  if (item['role'] === 'user' || item['role'] === 'assistant') {
    return [{ role: item['role'], text: textOf(item['content']) }];
  }
  return [];
}

/** codex groups the tools of an MCP server under a namespace of its own: `namespace/name` here. */
function toolNames(tool: JsonObject): string[] {
  const name = asString(tool['name']) || asString(tool['type']);
  if (tool['type'] !== 'namespace') return [name];
  return asArray(tool['tools']).map((inner) => `${name}/${asString(asObject(inner)['name'])}`);
}

function toolCall(tool: string, input: object): object {
  const [name = '', namespace] = tool.split('/').reverse();
  return {
    type: 'function_call',
    id: `fc_${randomUUID()}`,
    call_id: `call_${randomUUID()}`,
    status: 'completed',
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: JSON.stringify(input),
  };
}

/** OpenAI Responses. */
export const openaiResponsesApi: ModelApi = {
  matches: /\/responses$/,
  read,
  async answer({ body, reply, response }) {
    const text = replyText(reply);
    const itemId = `msg_${randomUUID()}`;
    const part = { type: 'output_text', text, annotations: [] };
    const message = { id: itemId, type: 'message', role: 'assistant', status: 'completed', content: [part] };
    const item = reply.kind === 'tool' ? toolCall(reply.tool, reply.input) : message;
    const started = {
      id: `resp_${randomUUID()}`,
      object: 'response',
      created_at: Math.floor(Date.now() / 1000),
      status: 'in_progress',
      model: body['model'],
      output: [] as unknown[],
    };
    const completed = {
      ...started,
      status: 'completed',
      output: [item],
      usage: {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 15,
      },
    };
    if (body['stream'] !== true) {
      sendJson(response, 200, completed);
      return;
    }
    const send = startEvents(response);
    let sequence = 0;
    const event = (type: string, fields: object) =>
      send(type, { type, sequence_number: sequence++, ...fields });
    const place = { output_index: 0, item_id: itemId, content_index: 0 };
    event('response.created', { response: started });
    event('response.output_item.added', {
      output_index: 0,
      item: reply.kind === 'tool' ? item : { ...message, status: 'in_progress', content: [] },
    });
    if (reply.kind === 'text') {
      event('response.content_part.added', { ...place, part: { ...part, text: '' } });
      for await (const delta of piecesOf(reply, response))
        event('response.output_text.delta', { ...place, delta });
      event('response.output_text.done', { ...place, text });
      event('response.content_part.done', { ...place, part });
    }
    event('response.output_item.done', { output_index: 0, item });
    event('response.completed', { response: completed });
    response.end();
  },
};
