import type { AnyRequest, AnyResponse, SessionNotification } from '@agentclientprotocol/sdk';

import { shown } from '../errors/shown.ts';

/** Why a line is not for us. */
export type NoiseReason = 'blank' | 'not-json' | 'not-json-rpc' | 'batch' | 'unknown-response';

/** What one line from the agent is. */
export type ParsedLine =
  | { readonly kind: 'update'; readonly notification: SessionNotification }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'cancel-request'; readonly message: object }
  | { readonly kind: 'request'; readonly message: AnyRequest }
  | { readonly kind: 'response'; readonly message: AnyResponse }
  | { readonly kind: 'noise'; readonly reason: NoiseReason };

// What terminals and shells put around a line. Each is matched one after the other in a loop of our own: one expression
// for all of them overflows its stack on a line of 30 MB of blanks, and throws.
const escapeSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])?/y;
/** White space, control characters other than escape, a byte order mark. */
const blanks = /[\s\u0000-\u001a\u001c-\u001f\u007f\ufeff]+/y;

/** What JSON-RPC lets a message hold. */
const members = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

const noise = (reason: NoiseReason): ParsedLine => ({ kind: 'noise', reason });

/**
 * Reads one line from the agent as JSON-RPC and mends what agents get wrong but a reader can't mistake: decoration
 * around the JSON, a missing `jsonrpc`, `error: null` beside a result, an error without a code. Everything that is
 * not a JSON-RPC message is noise: it is never answered, since an answer would be a line that the agent did not ask
 * for.
 */
export function parseLine(line: string): ParsedLine {
  const start = line.charCodeAt(0) === 0x7b ? 0 : skipDecoration(line, 0);
  const text = start === 0 ? line : line.slice(start);
  if (text === '') return noise('blank');
  let value = parseJson(text);
  if (value === undefined) value = parseJson(withoutTrailingDecoration(text));
  if (value === undefined) return noise('not-json');
  if (Array.isArray(value)) return noise('batch');
  if (typeof value !== 'object' || value === null) return noise('not-json-rpc');
  return classifyMessage(value as Record<string, unknown>);
}

/** Where what follows `from` is no longer decoration. */
function skipDecoration(text: string, from: number): number {
  let position = from;
  for (;;) {
    const next = endOf(blanks, text, endOf(escapeSequence, text, position));
    if (next === position) return position;
    position = next;
  }
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/** Looks behind the last bracket only: a search from every character would make a long line of garbage quadratic. */
function withoutTrailingDecoration(text: string): string {
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
  return skipDecoration(text, end) === text.length ? text.slice(0, end) : '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function classifyMessage(message: Record<string, unknown>): ParsedLine {
  const { jsonrpc, method, id, params } = message;
  // A logger's line may well hold an id or a method: without `jsonrpc` nothing else may stand beside them.
  if (jsonrpc === undefined && !Object.keys(message).every((key) => members.has(key)))
    return noise('not-json-rpc');
  if (typeof method === 'string') {
    if (typeof id === 'string' || typeof id === 'number') {
      message['jsonrpc'] = '2.0';
      return { kind: 'request', message: message as unknown as AnyRequest };
    }
    if (method === 'session/update') {
      return isUpdate(params) ? { kind: 'update', notification: params } : noise('not-json-rpc');
    }
    if (method === '$/cancel_request') {
      return { kind: 'cancel-request', message: { jsonrpc: '2.0', method, params } };
    }
    return { kind: 'notification', method, params };
  }
  if ((typeof id !== 'string' && typeof id !== 'number') || method !== undefined)
    return noise('not-json-rpc');
  const { error, result } = message;
  const head = { jsonrpc: '2.0', id } as const;
  if (error === undefined || error === null) {
    // A response without a result is what some agents send for "nothing": read as null.
    return { kind: 'response', message: { ...head, result: result ?? null } };
  }
  return { kind: 'response', message: { ...head, error: readError(error) } };
}

function readError(error: unknown): { code: number; message: string; data?: unknown } {
  const internalError = -32603;
  if (typeof error === 'string') return { code: internalError, message: error };
  if (typeof error !== 'object' || error === null) return { code: internalError, message: shown(error) };
  const { code, message, data } = error as Record<string, unknown>;
  const inOrder = Number.isInteger(code) && typeof message === 'string';
  // What an error says in other places than JSON-RPC's is kept as its data.
  const kept = data === undefined && !inOrder ? error : data;
  return {
    code: Number.isInteger(code) ? (code as number) : internalError,
    message: typeof message === 'string' ? message : 'Internal error',
    ...(kept === undefined ? {} : { data: kept }),
  };
}

function isUpdate(params: unknown): params is SessionNotification {
  if (typeof params !== 'object' || params === null) return false;
  const { sessionId, update } = params as Record<string, unknown>;
  return (
    typeof sessionId === 'string' && typeof update === 'object' && update !== null && !Array.isArray(update)
  );
}
