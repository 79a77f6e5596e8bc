import { asObject } from './json.ts';
import type { Conversation, ModelReply } from './model-api.ts';

/**
 * Makes the agent call a tool on its next model request: the name, or the end of it (MCP tools carry the
 * server's name in front), and the input. Once the tool has answered, the reply quotes the answer.
 */
export function callTool(tool: string, input: object): string {
  return `[[call ${tool} ${JSON.stringify(input)}]]`;
}

/** Makes the model answer in so many pieces, so many milliseconds apart. */
export function answerSlowly(pieces: number, pauseMs: number): string {
  return `[[slowly ${pieces} ${pauseMs}]]`;
}

type Rule = readonly [RegExp, (match: RegExpExecArray, conversation: Conversation) => ModelReply];

const remember = /(?:remember the number|记住数字)\s*(\d+)/gi;

const rules: readonly Rule[] = [
  [remember, ([, number]) => say(`Noted: ${number}.`)],
  [
    /which number did I say/gi,
    (_, conversation) => recall(conversation, 'You said ', 'You never told me a number.'),
  ],
  [
    /我之前说的数字是多少/g,
    (_, conversation) => recall(conversation, '你之前说的数字是 ', '你没有告诉过我数字。'),
  ],
  [/\[\[slowly (\d+) (\d+)\]\]/g, ([, pieces, pauseMs]) => slowly(Number(pieces), Number(pauseMs))],
  [
    /\[\[call (\S+) (.+?)\]\]/gs,
    ([, tool = '', input = ''], conversation) => call(tool, input, conversation),
  ],
];

/**
 * The model's mind: a pure function of what it received. It follows the last instruction in the last thing
 * that the user said: agents put reminders, and turns that were interrupted, in the same message.
 */
export function decideReply(conversation: Conversation): ModelReply {
  const { messages } = conversation;
  const lastUser = messages.findLastIndex(
    (message) => message.role === 'user' && hasInstruction(message.text),
  );
  const found = lastInstruction(messages[lastUser]?.text ?? '');
  if (!found) return say('Hello from the mock model.');
  const isCall = found.match[0].startsWith('[[call');
  const result = messages.slice(lastUser + 1).findLast((message) => message.role === 'tool');
  if (isCall && result) return say(`The tool answered: ${result.text.slice(0, 300)}`);
  // An agent's own small requests (titles, summaries) quote the prompt and offer no tools.
  if (found.match[0].startsWith('[[') && conversation.tools.length === 0) return say('A title');
  return found.decide(found.match, conversation);
}

function hasInstruction(text: string): boolean {
  return lastInstruction(text) !== undefined;
}

function lastInstruction(text: string): { match: RegExpExecArray; decide: Rule[1] } | undefined {
  return rules
    .flatMap(([pattern, decide]) => [...text.matchAll(pattern)].map((match) => ({ match, decide })))
    .sort((one, other) => one.match.index - other.match.index)
    .at(-1);
}

function recall(conversation: Conversation, prefix: string, nothing: string): ModelReply {
  const said = conversation.messages
    .filter((message) => message.role === 'user')
    .map((message) => message.text);
  const number = [...said.join('\n').matchAll(remember)].at(-1)?.[1];
  return say(number === undefined ? nothing : `${prefix}${number}.`);
}

function call(tool: string, input: string, { tools }: Conversation): ModelReply {
  const offered = tools.find((name) => name === tool) ?? tools.find((name) => name.endsWith(tool));
  if (offered === undefined) return say(`No tool ends in ${tool}; offered: ${tools.join(', ')}`);
  return { kind: 'tool', tool: offered, input: asObject(JSON.parse(input)) };
}

function slowly(pieces: number, pauseMs: number): ModelReply {
  return {
    kind: 'text',
    pauseMs,
    pieces: Array.from({ length: pieces }, (_, index) => `piece ${index + 1} `),
  };
}

function say(text: string): ModelReply {
  return { kind: 'text', pieces: text.match(/\S+\s*/g) ?? [text], pauseMs: 0 };
}
