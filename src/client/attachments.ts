import type { ContentBlock, PromptCapabilities } from '@agentclientprotocol/sdk';
import {
  bufferBlock,
  fileBlock,
  resourceLink,
  type BufferBlockOptions,
  type FileBlockOptions,
} from './content-blocks.ts';

/** A file or data in memory that goes with a prompt. */
export type Attachment =
  ({ readonly path: string } & FileBlockOptions) | ({ readonly data: Uint8Array } & BufferBlockOptions);

const neededCapability: Readonly<Record<string, keyof PromptCapabilities>> = {
  image: 'image',
  audio: 'audio',
  resource: 'embeddedContext',
};

/**
 * The blocks for attachments. A file whose kind the agent does not take becomes a link to it, which every agent
 * takes; data in memory can't, and is refused when the prompt is sent.
 *
 * @throws AcpLauncherError `invalid-config` for a file that can't be read, `unsupported-content` for one that is too large.
 */
export async function attachmentBlocks(
  attachments: readonly Attachment[],
  capabilities: PromptCapabilities | undefined,
): Promise<ContentBlock[]> {
  return Promise.all(
    attachments.map(async (attachment) => {
      if ('data' in attachment) {
        const { data, ...options } = attachment;
        return bufferBlock(data, options);
      }
      const { path, ...options } = attachment;
      const block = await fileBlock(path, options);
      const needed = neededCapability[block.type];
      return needed === undefined || capabilities?.[needed] === true ? block : resourceLink(path);
    }),
  );
}
