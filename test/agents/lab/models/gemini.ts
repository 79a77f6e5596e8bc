import { asArray, asObject, asString, textOf, type JsonObject } from './json.ts';
import { replyText, type Conversation, type ModelApi, type ModelMessage } from './model-api.ts';
import { piecesOf, sendJson, startEvents } from './sse.ts';

function read(body: JsonObject): Conversation {
  return {
    system: textOf(body['systemInstruction']),
    messages: asArray(body['contents']).map(asObject).flatMap(readContent),
    tools: asArray(body['tools']).flatMap((tool) =>
      asArray(asObject(tool)['functionDeclarations']).map((entry) => asString(asObject(entry)['name'])),
    ),
  };
}

function readContent(content: JsonObject): ModelMessage[] {
  const parts = asArray(content['parts']).map(asObject);
  const results = parts.filter((part) => part['functionResponse'] !== undefined);
  const others = parts.filter((part) => part['functionResponse'] === undefined);
  const role = content['role'] === 'model' ? 'assistant' : 'user';
  return [
    ...results.map((part): ModelMessage => ({
      role: 'tool',
      text: JSON.stringify(part['functionResponse']),
    })),
    ...(others.length === 0 ? [] : [{ role, text: textOf(others) } as const]),
  ];
}

/** gemini-cli asks small questions of its own (who speaks next, which model) and wants JSON for them. */
const jsonReply = {
  reasoning: 'mock',
  next_speaker: 'user',
  model_choice: 'flash',
  complexity_reasoning: 'mock',
  complexity_score: 1,
};

/** Gemini generateContent and streamGenerateContent. */
export const geminiApi: ModelApi = {
  matches: /:(generateContent|streamGenerateContent)$/,
  read,
  async answer({ path, body, reply, response }) {
    const candidate = (parts: unknown[], finish: boolean) => ({
      candidates: [
        { index: 0, content: { role: 'model', parts }, ...(finish ? { finishReason: 'STOP' } : {}) },
      ],
      modelVersion: 'mock',
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    });
    const wantsJson = asObject(body['generationConfig'])['responseMimeType'] === 'application/json';
    const whole =
      reply.kind === 'tool'
        ? { functionCall: { name: reply.tool, args: reply.input } }
        : { text: wantsJson ? JSON.stringify(jsonReply) : replyText(reply) };
    if (!path.includes('stream')) {
      sendJson(response, 200, candidate([whole], true));
      return;
    }
    const send = startEvents(response);
    if (reply.kind === 'tool' || wantsJson) {
      send(undefined, candidate([whole], true));
    } else {
      for await (const text of piecesOf(reply, response)) send(undefined, candidate([{ text }], false));
      send(undefined, candidate([{ text: '' }], true));
    }
    response.end();
  },
};
