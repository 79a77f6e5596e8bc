import { randomUUID } from 'node:crypto';
import { asArray, asObject, asString, textOf, type JsonObject } from './json.ts';
import { replyText, type Conversation, type ModelApi, type ModelMessage } from './model-api.ts';
import { piecesOf, sendJson, startEvents } from './sse.ts';

/** Anthropic Messages. A tool result travels as a block of a user message: it becomes a message of its own. */
function readMessage(value: unknown): ModelMessage[] {
  const message = asObject(value);
  if (typeof message['content'] === 'string') return [{ role: roleOf(message), text: message['content'] }];
  const blocks = asArray(message['content']).map(asObject);
  const results = blocks.filter((block) => block['type'] === 'tool_result');
  const others = blocks.filter((block) => block['type'] !== 'tool_result');
  return [
    ...results.map((block): ModelMessage => ({ role: 'tool', text: textOf(block['content']) })),
    ...(others.length === 0 ? [] : [{ role: roleOf(message), text: textOf(others) }]),
  ];
}

function roleOf(message: JsonObject): 'user' | 'assistant' {
  return message['role'] === 'assistant' ? 'assistant' : 'user';
}

function read(body: JsonObject): Conversation {
  return {
    system: textOf(body['system']),
    messages: asArray(body['messages']).flatMap(readMessage),
    tools: asArray(body['tools']).map((tool) => asString(asObject(tool)['name'])),
  };
}

export const anthropicApi: ModelApi = {
  matches: /\/v1\/messages$/,
  read,
  async answer({ body, reply, response }) {
    const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const message = {
      id: `msg_${randomUUID()}`,
      type: 'message',
      role: 'assistant',
      model: body['model'],
      content: [] as unknown[],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    };
    const call =
      reply.kind === 'tool' ? { type: 'tool_use', id: `toolu_${randomUUID()}`, name: reply.tool } : undefined;
    const stopReason = call ? 'tool_use' : 'end_turn';
    if (body['stream'] !== true) {
      const block =
        reply.kind === 'tool' ? { ...call, input: reply.input } : { type: 'text', text: replyText(reply) };
      sendJson(response, 200, { ...message, content: [block], stop_reason: stopReason });
      return;
    }
    const send = startEvents(response);
    const event = (type: string, fields: object) => send(type, { type, ...fields });
    event('message_start', { message });
    event('content_block_start', {
      index: 0,
      content_block: call ? { ...call, input: {} } : { type: 'text', text: '' },
    });
    if (reply.kind === 'tool') {
      const partial = JSON.stringify(reply.input);
      event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: partial } });
    } else {
      for await (const text of piecesOf(reply, response)) {
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
      }
    }
    event('content_block_stop', { index: 0 });
    event('message_delta', {
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: 5 },
    });
    event('message_stop', {});
    response.end();
  },
};
