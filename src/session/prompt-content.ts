import type { ContentBlock, PromptCapabilities } from '@agentclientprotocol/sdk';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { shown } from '../errors/shown.ts';
import type { ErrorCode } from '../errors/error-codes.ts';

/** What each kind of block must hold, and the capability that it needs; text and links need none. */
const blockKinds: Record<
  string,
  { readonly fields: readonly string[]; readonly capability?: keyof PromptCapabilities }
> = {
  text: { fields: ['text'] },
  resource_link: { fields: ['name', 'uri'] },
  image: { fields: ['data', 'mimeType'], capability: 'image' },
  audio: { fields: ['data', 'mimeType'], capability: 'audio' },
  resource: { fields: [], capability: 'embeddedContext' },
};

/**
 * The blocks of a prompt, checked before anything is sent.
 *
 * @see https://agentclientprotocol.com/protocol/v1/content
 * @throws AcpLauncherError `invalid-config` for a malformed block, `unsupported-content` for one whose kind the agent
 * does not accept; `field` names the block.
 */
export function promptContent(
  content: string | readonly ContentBlock[],
  capabilities: PromptCapabilities | undefined,
): ContentBlock[] {
  const blocks: unknown = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!isArray(blocks))
    throw contentError('invalid-config', 'prompt', 'must be a string or an array of content blocks');
  if (blocks.length === 0) throw contentError('invalid-config', 'prompt', 'must hold at least one block');
  // A copy has no holes, which a check of the array itself would pass over.
  const copy = [...blocks];
  copy.forEach((block, index) => checkBlock(block, `prompt[${index}]`, capabilities));
  return copy as ContentBlock[];
}

const isArray = (value: unknown): value is unknown[] => Array.isArray(value);

function checkBlock(block: unknown, field: string, capabilities: PromptCapabilities | undefined): void {
  if (typeof block !== 'object' || block === null)
    throw contentError('invalid-config', field, 'must be a content block');
  const { type } = block as { type?: unknown };
  const kind = typeof type === 'string' && Object.hasOwn(blockKinds, type) ? blockKinds[type] : undefined;
  if (kind === undefined) {
    const known = Object.keys(blockKinds).join(', ');
    throw contentError('invalid-config', `${field}.type`, `must be one of ${known}, not ${shown(type)}`);
  }
  for (const name of kind.fields) {
    const value = (block as Record<string, unknown>)[name];
    if (typeof value !== 'string')
      throw contentError('invalid-config', `${field}.${name}`, 'must be a string');
  }
  if (type === 'resource') checkResource((block as { resource?: unknown }).resource, `${field}.resource`);
  if (kind.capability !== undefined && capabilities?.[kind.capability] !== true) {
    const message = `is of type ${String(type)}, but the agent does not advertise promptCapabilities.${kind.capability}`;
    throw contentError('unsupported-content', field, message);
  }
}

function checkResource(resource: unknown, field: string): void {
  const { uri, text, blob } = (resource ?? {}) as Record<string, unknown>;
  if (typeof uri !== 'string') throw contentError('invalid-config', `${field}.uri`, 'must be a string');
  if (typeof text !== 'string' && typeof blob !== 'string') {
    throw contentError('invalid-config', field, 'must hold text or blob');
  }
}

function contentError(code: ErrorCode, field: string, problem: string): AcpLauncherError {
  return new AcpLauncherError(code, `${field} ${problem}`, { phase: 'prompt', field });
}
