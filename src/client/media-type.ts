import { extname } from 'node:path';

/** How many bytes from the start of a file {@link detectMediaType} wants to see. */
export const mediaTypeHeadBytes = 4096;

type Signature = readonly [
  mediaType: string,
  ...parts: readonly (readonly [offset: number, bytes: string])[],
];

/** What the formats start with that prompts carry, and a few that must not be taken for text. */
const signatures: readonly Signature[] = [
  ['image/png', [0, '\x89PNG\r\n\x1a\n']],
  ['image/jpeg', [0, '\xff\xd8\xff']],
  ['image/gif', [0, 'GIF87a']],
  ['image/gif', [0, 'GIF89a']],
  ['image/webp', [0, 'RIFF'], [8, 'WEBP']],
  ['audio/wav', [0, 'RIFF'], [8, 'WAVE']],
  ['audio/mpeg', [0, 'ID3\x03\x00']],
  ['audio/mpeg', [0, 'ID3\x04\x00']],
  ['audio/mpeg', [0, '\xff\xfb']],
  ['audio/mpeg', [0, '\xff\xf3']],
  ['audio/ogg', [0, 'OggS\x00']],
  ['audio/flac', [0, 'fLaC\x00']],
  ['audio/mp4', [4, 'ftypM4A ']],
  ['application/pdf', [0, '%PDF-']],
  ['application/zip', [0, 'PK\x03\x04']],
  ['application/gzip', [0, '\x1f\x8b']],
];

const textTypes = new Map([
  ['.md', 'text/markdown'],
  ['.html', 'text/html'],
  ['.css', 'text/css'],
  ['.csv', 'text/csv'],
  ['.js', 'text/javascript'],
  ['.mjs', 'text/javascript'],
  ['.json', 'application/json'],
  ['.xml', 'application/xml'],
  ['.svg', 'image/svg+xml'],
  ['.yaml', 'application/yaml'],
  ['.yml', 'application/yaml'],
  ['.toml', 'application/toml'],
]);

/** What a piece of data is, as far as a prompt is concerned. */
export interface MediaType {
  readonly mimeType: string;
  readonly kind: 'image' | 'audio' | 'text' | 'binary';
}

/**
 * The media type of a file by its first bytes, and for text by the extension of its name. The content decides: text
 * that is called `.png` is text. Text of an unknown kind is `text/plain`, other data `application/octet-stream`.
 */
export function detectMediaType(head: Uint8Array, name: string): MediaType {
  const signature = signatures.find(([, ...parts]) =>
    parts.every(([offset, bytes]) => startsWith(head, offset, bytes)),
  );
  if (signature) return { mimeType: signature[0], kind: kindOfMimeType(signature[0]) };
  if (!looksLikeText(head)) return { mimeType: 'application/octet-stream', kind: 'binary' };
  return { mimeType: textTypes.get(extname(name).toLowerCase()) ?? 'text/plain', kind: 'text' };
}

/** What a MIME type alone says. SVG is text: models that see images don't see it. */
export function kindOfMimeType(mimeType: string): MediaType['kind'] {
  if (mimeType.startsWith('audio/')) return 'audio';
  return mimeType.startsWith('image/') && !mimeType.startsWith('image/svg') ? 'image' : 'binary';
}

function startsWith(head: Uint8Array, offset: number, bytes: string): boolean {
  return Buffer.from(head.subarray(offset, offset + bytes.length)).toString('latin1') === bytes;
}

/** Valid UTF-8 without NUL bytes; the last character may be incomplete. */
function looksLikeText(head: Uint8Array): boolean {
  if (head.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
