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

// What terminals and shells put around a line: escape sequences, control characters, a byte order mark.
const escapeSequence =
  '\\u001b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)|[@-Z\\\\^_])';
const decoration = `(?:${escapeSequence}|[\\s\\u0000-\\u001f\\u007f\\ufeff])+`;
const leadingDecoration = new RegExp(`^${decoration}`);
const trailingDecoration = new RegExp(`${decoration}$`);

const noise = (reason: NoiseReason): ParsedLine => ({ kind: 'noise', reason });

/**
 * Reads one line from the agent as JSON-RPC and mends what agents get wrong but a reader can't mistake: decoration
 * around the JSON, a missing `jsonrpc`, `error: null` beside a result, an error without a code. Everything that is
 * not a JSON-RPC message is noise: it is never answered, since an answer would be a line that the agent did not ask
 * for.
 */
export function parseLine(line: string): ParsedLine {
  let text = line;
  if (text.charCodeAt(0) !== 0x7b) {
    text = text.replace(leadingDecoration, '');
    if (text === '') return noise('blank');
    if (text.startsWith('[')) return noise(parseJson(text) === undefined ? 'not-json' : 'batch');
    if (!text.startsWith('{')) return noise(parseJson(text) === undefined ? 'not-json' : 'not-json-rpc');
  }
  const value = parseJson(text) ?? parseJson(text.replace(trailingDecoration, ''));
  if (value === undefined) return noise('not-json');
  return classifyMessage(value as Record<string, unknown>);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function classifyMessage(message: Record<string, unknown>): ParsedLine {
  const { method, id, params } = message;
  if (typeof method === 'string') {
    if (typeof id === 'string' || typeof id === 'number') {
      message['jsonrpc'] = '2.0';
      return { kind: 'request', message: message as unknown as AnyRequest };
    }
    if (method === 'session/update') {
      return isUpdate(params) ? { kind: 'update', notification: params } : noise('not-json-rpc');
    }
    if (method === '$/cancel_request') {
      message['jsonrpc'] = '2.0';
      delete message['id'];
      return { kind: 'cancel-request', message };
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
  if (typeof error !== 'object') return { code: internalError, message: shown(error) };
  const { code, message, data } = error as Record<string, unknown>;
  return {
    code: typeof code === 'number' ? code : internalError,
    message: typeof message === 'string' ? message : 'Internal error',
    ...(data === undefined ? {} : { data }),
  };
}

function isUpdate(params: unknown): params is SessionNotification {
  if (typeof params !== 'object' || params === null) return false;
  const { sessionId, update } = params as Record<string, unknown>;
  return (
    typeof sessionId === 'string' && typeof update === 'object' && update !== null && !Array.isArray(update)
  );
}
