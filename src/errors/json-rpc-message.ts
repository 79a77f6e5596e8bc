import type { RpcErrorFacts } from './acp-launcher-error.ts';

/** Messages that say nothing about what went wrong. */
const generic =
  /^(?:internal (?:server )?error|invalid (?:params|request)|(?:server|parse|unknown) error|error)[.:]?$/i;
/** What a message is that somebody forgot to write, or wrote from the wrong type. */
const empty = /^(?:undefined|null|\[object \w+\])?$/i;

/** Where agents put the text that says what went wrong, the most telling first. */
const tellingKeys = [
  'details',
  'detail',
  'message',
  'error',
  'errors',
  'reason',
  'description',
  'cause',
  'stderr',
];

const deepest = 5;
const longest = 2_000;

/**
 * What went wrong, for a person: the message of a JSON-RPC error and what its `data` adds, in whatever shape it came.
 *
 * @param stderr - The agent's last stderr lines; read where message and data say nothing.
 */
export function describeRpcError(error: RpcErrorFacts, stderr = ''): string {
  const message = isTold(error.message) ? error.message.trim() : '';
  const saysNothing = message === '' || generic.test(message);
  const texts = textsIn(error.data, 0).filter((text) => !contains(message, text));
  if (texts.length > 0) return bounded(joined(message, [...new Set(texts)].join('; ')));
  const fields = fieldsOf(error.data).filter(([, value]) => !contains(message, value));
  const named = [
    message === '' ? 'error without a message' : message,
    ...(fields.length === 0 ? [] : [`(${fields.map(([name, value]) => `${name}: ${value}`).join(', ')})`]),
  ].join(' ');
  return bounded(joined(named, saysNothing ? tellingLine(stderr) : ''));
}

const isTold = (text: unknown): text is string => typeof text === 'string' && !empty.test(text.trim());

const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());

const bounded = (text: string) => (text.length > longest ? `${text.slice(0, longest)}…` : text);

function joined(message: string, details: string): string {
  if (details === '') return message;
  return contains(details, message) ? details : `${message.replace(/[.:]$/, '')}: ${details}`;
}

/** The texts of the first key that says anything, however deep. */
function textsIn(data: unknown, depth: number): string[] {
  if (typeof data === 'string') return isTold(data) && !generic.test(data.trim()) ? [data.trim()] : [];
  if (typeof data !== 'object' || data === null || depth === deepest) return [];
  if (Array.isArray(data)) return data.flatMap((item) => textsIn(item, depth + 1));
  for (const key of tellingKeys) {
    const texts = textsIn((data as Record<string, unknown>)[key], depth + 1);
    if (texts.length > 0) return texts;
  }
  return [];
}

/** Data without a text in a place that we know: its plain fields, as they are. */
function fieldsOf(data: unknown): [name: string, value: string][] {
  if (typeof data === 'number' || typeof data === 'boolean') return [['data', String(data)]];
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    const plain = typeof value === 'number' || typeof value === 'boolean' || isTold(value);
    return plain ? [[name, String(value)]] : [];
  });
}

const troubleWords =
  /error|fail|fatal|exception|panic|cannot|can't|could not|unable|not found|no such|missing|invalid|denied|refused|unauthori[sz]ed|must /i;

/** The last line that reports a trouble, else the last one; never a line of a stack trace. */
function tellingLine(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^at /.test(line));
  return lines.findLast((line) => troubleWords.test(line)) ?? lines.at(-1) ?? '';
}
