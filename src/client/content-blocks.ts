import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ContentBlock, ResourceLink } from '@agentclientprotocol/sdk';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { invalidConfig } from '../errors/invalid-config.ts';
import { checkOptions, checkText } from '../internal/check-input.ts';
import { detectMediaType, kindOfMimeType, mediaTypeHeadBytes, type MediaType } from './media-type.ts';
import { readAtMost } from './read-at-most.ts';
import { decodeText } from './text-window.ts';

const defaultMaxBytes = 10 * 1024 * 1024;

/** A block of plain text. @throws AcpLauncherError `invalid-config` for what is no text. */
export function textBlock(text: string): ContentBlock {
  if (typeof text !== 'string') throw invalidConfig('text', 'must be a text');
  return { type: 'text', text };
}

/** What a link says about its target; `name` defaults to the last part of the path. */
export type ResourceLinkOptions = Partial<
  Pick<ResourceLink, 'name' | 'title' | 'description' | 'mimeType' | 'size'>
>;

// ACP's own links, passed on, may say `null` for what they don't say.
const linkKinds = {
  name: 'text',
  title: ['text', 'null'],
  description: ['text', 'null'],
  mimeType: ['text', 'null'],
  size: ['amount', 'null'],
} as const;

/**
 * A link to a file (a path, relative ones to this process's directory) or to anything with a URI. All agents accept
 * links; whether anything is there is not checked. A path that looks like a URI, such as `ab:c`, needs a `./`.
 *
 * @throws AcpLauncherError `invalid-config` naming the argument.
 */
export function resourceLink(pathOrUri: string, options: ResourceLinkOptions = {}): ContentBlock {
  checkText(pathOrUri, 'pathOrUri');
  checkOptions(options, linkKinds);
  const uri = /^[a-z][a-z\d+.-]+:/i.test(pathOrUri) ? pathOrUri : pathToFileURL(resolve(pathOrUri)).href;
  return { type: 'resource_link', uri, ...options, name: options.name ?? lastName(uri) };
}

export interface FileBlockOptions {
  /**
   * `auto`: an image or audio block for what is one, an embedded resource for UTF-8 text, a link for the rest.
   * `embed`: an embedded resource, whatever it is. `link`: a link. @defaultValue 'auto'
   */
  readonly as?: 'auto' | 'embed' | 'link';
  /** The largest file that is put into the prompt, in bytes before any encoding. @defaultValue 10 MiB */
  readonly maxBytes?: number;
}

/**
 * A block for a file of this machine; relative paths are to this process's directory. Whether the agent accepts the
 * kind of block is checked when the prompt is sent.
 *
 * @throws AcpLauncherError (as rejection) `invalid-config` naming the argument, or where there is no such regular
 * file; `unsupported-content` where it is over `maxBytes`.
 */
export async function fileBlock(path: string, options: FileBlockOptions = {}): Promise<ContentBlock> {
  checkText(path, 'path');
  checkOptions(options, { as: 'text', maxBytes: 'amount' });
  const { as = 'auto', maxBytes = defaultMaxBytes } = options;
  if (!['auto', 'embed', 'link'].includes(as)) throw invalidConfig('as', 'must be auto, embed or link');
  const handle = await openRegularFile(path);
  try {
    const { size } = await handle.stat();
    const media = detectMediaType(await readHead(handle), path);
    const uri = pathToFileURL(resolve(path)).href;
    const link = resourceLink(uri, { mimeType: media.mimeType, size });
    if (as === 'link' || (as === 'auto' && media.kind === 'binary')) return link;
    const bytes = await readAtMost(handle, maxBytes);
    if (bytes === undefined) throw tooLarge(path, size, maxBytes);
    if (as === 'embed') return embeddedResource(bytes, media.mimeType, uri);
    // Its start looked like text, and what follows is something else.
    if (media.kind === 'text' && decodeText(bytes) === undefined) return link;
    return inlineBlock(bytes, media, uri);
  } finally {
    await handle.close();
  }
}

export interface BufferBlockOptions {
  /** What the data is called: the agent sees it, and its extension tells what kind of text it is. */
  readonly name: string;
  /** By default found by the first bytes and the name. */
  readonly mimeType?: string;
  /** The most data that is put into the prompt, in bytes before any encoding. @defaultValue 10 MiB */
  readonly maxBytes?: number;
}

/**
 * A block for data in memory: an image or audio block for what is one, else an embedded resource, as text where it is
 * UTF-8. Whether the agent accepts the kind of block is checked when the prompt is sent.
 *
 * @throws AcpLauncherError `invalid-config` naming the argument, `unsupported-content` where it is over `maxBytes`.
 */
export function bufferBlock(bytes: Uint8Array, options: BufferBlockOptions): ContentBlock {
  if (!(bytes instanceof Uint8Array)) throw invalidConfig('bytes', 'must be a Uint8Array');
  checkOptions(options, { name: 'text', mimeType: 'text', maxBytes: 'amount' });
  const { name, mimeType, maxBytes = defaultMaxBytes } = options;
  checkText(name, 'name');
  if (bytes.length > maxBytes) throw tooLarge(name, bytes.length, maxBytes);
  const media =
    mimeType === undefined
      ? detectMediaType(bytes.subarray(0, mediaTypeHeadBytes), name)
      : { mimeType, kind: kindOfMimeType(mimeType) };
  return inlineBlock(bytes, media, `attachment:///${encodeURIComponent(name)}`);
}

function inlineBlock(bytes: Uint8Array, media: MediaType, uri: string): ContentBlock {
  const { mimeType } = media;
  if (media.kind === 'image') return { type: 'image', data: toBase64(bytes), mimeType, uri };
  if (media.kind === 'audio') return { type: 'audio', data: toBase64(bytes), mimeType };
  return embeddedResource(bytes, mimeType, uri);
}

function embeddedResource(bytes: Uint8Array, mimeType: string, uri: string): ContentBlock {
  const text = decodeText(bytes);
  const content = text === undefined ? { blob: toBase64(bytes) } : { text };
  return { type: 'resource', resource: { uri, mimeType, ...content } };
}

async function openRegularFile(path: string): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a named pipe waits for a writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw unreadable(path, 'could not be opened', error);
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw unreadable(path, 'is not a regular file');
}

async function readHead(handle: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(mediaTypeHeadBytes), 0, mediaTypeHeadBytes, 0);
  return buffer.subarray(0, bytesRead);
}

function unreadable(path: string, why: string, cause?: unknown): AcpLauncherError {
  return new AcpLauncherError('invalid-config', `${path} ${why}`, { phase: 'prompt', field: 'path', cause });
}

function tooLarge(name: string, size: number, maxBytes: number): AcpLauncherError {
  const message = `${name} has ${size} bytes, and ${maxBytes} are allowed in a prompt`;
  return new AcpLauncherError('unsupported-content', message, { phase: 'prompt', field: 'maxBytes' });
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

function lastName(uri: string): string {
  const name = uri.split(/[?#]/, 1)[0]?.split('/').findLast(Boolean) ?? uri;
  if (!uri.startsWith('file:')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    // No text in UTF-8: a name to show it need not be.
    return name;
  }
}
