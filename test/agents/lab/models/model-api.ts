import type { ServerResponse } from 'node:http';

/** The four wire formats that agents speak to a model. */
export type ModelApiName = 'anthropic' | 'openai-responses' | 'openai-chat' | 'gemini';

/** One message of a conversation, as the model received it. */
export interface ModelMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
}

/** What a request says, in words that all four APIs share. */
export interface Conversation {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** The names of the tools that the model may call. */
  readonly tools: readonly string[];
}

/** What the model answers: text in pieces, or a call of one of the offered tools. */
export type ModelReply =
  | { readonly kind: 'text'; readonly pieces: readonly string[]; readonly pauseMs: number }
  | { readonly kind: 'tool'; readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

export interface AnswerRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly reply: ModelReply;
  readonly response: ServerResponse;
}

export interface ModelApi {
  /** Whether a POST to this path asks for an answer of this API. */
  readonly matches: RegExp;
  read(body: Readonly<Record<string, unknown>>): Conversation;
  answer(request: AnswerRequest): Promise<void>;
}

export function replyText(reply: ModelReply): string {
  return reply.kind === 'text' ? reply.pieces.join('') : '';
}
