import { randomUUID } from 'node:crypto';
import { asArray, asObject, asString, textOf, type JsonObject } from './json.ts';
import { replyText, type Conversation, type ModelApi, type ModelMessage } from './model-api.ts';
import { piecesOf, sendJson, startEvents } from './sse.ts';

function read(body: JsonObject): Conversation {
  const messages = asArray(body['messages']).map(asObject);
  const isSystem = (message: JsonObject) => message['role'] === 'system' || message['role'] === 'developer';
  return {
    system: textOf(messages.filter(isSystem)),
    messages: messages
      .filter((message) => !isSystem(message))
      .map((message): ModelMessage => ({ role: roleOf(message['role']), text: textOf(message['content']) })),
    tools: asArray(body['tools']).map((tool) => asString(asObject(asObject(tool)['function'])['name'])),
  };
}

function roleOf(role: unknown): ModelMessage['role'] {
  return role === 'assistant' || role === 'tool' ? role : 'user';
}

/** OpenAI chat completions. */
export const openaiChatApi: ModelApi = {
  matches: /\/chat\/completions$/,
  read,
  async answer({ body, reply, response }) {
    const frame = {
      id: `chatcmpl-${randomUUID()}`,
      created: Math.floor(Date.now() / 1000),
      model: body['model'],
    };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const toolCalls =
      reply.kind === 'tool'
        ? [
            {
              index: 0,
              id: `call_${randomUUID()}`,
              type: 'function',
              function: { name: reply.tool, arguments: JSON.stringify(reply.input) },
            },
          ]
        : undefined;
    const finish = toolCalls ? 'tool_calls' : 'stop';
    if (body['stream'] !== true) {
      const message = toolCalls
        ? { role: 'assistant', content: null, tool_calls: toolCalls }
        : { role: 'assistant', content: replyText(reply) };
      const choices = [{ index: 0, message, finish_reason: finish }];
      sendJson(response, 200, { ...frame, object: 'chat.completion', choices, usage });
      return;
    }
    const send = startEvents(response);
    const chunk = (choices: unknown[], extra = {}) =>
      send(undefined, { ...frame, object: 'chat.completion.chunk', choices, ...extra });
    const delta = (fields: object, finish_reason: string | null = null) =>
      chunk([{ index: 0, delta: fields, finish_reason }]);
    delta({ role: 'assistant', content: '' });
    if (reply.kind === 'tool') delta({ tool_calls: toolCalls });
    else for await (const content of piecesOf(reply, response)) delta({ content });
    delta({}, finish);
    chunk([], { usage });
    send(undefined, '[DONE]');
    response.end();
  },
};
