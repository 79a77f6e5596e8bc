import type { ContentBlock } from '@agentclientprotocol/sdk';
import { checkClient } from '../client/check-client.ts';
import { checkOptions, checkSignal, checkText, type OptionKind } from '../internal/check-input.ts';
import { invalidConfig } from '../errors/invalid-config.ts';
import { promptContent } from '../session/prompt-content.ts';

const requestKinds = {
  newSession: 'flag',
  evenDuringTurn: 'flag',
  systemPrompt: 'text',
  startConfig: 'object',
  requestId: 'text',
} as const satisfies Readonly<Record<string, OptionKind>>;

/**
 * Refuses a request that could not be served, before anything is done for it. What is within its objects is checked
 * by whoever knows them.
 *
 * @throws AcpLauncherError `invalid-config` naming the field.
 */
export function checkRequest(request: unknown): void {
  if (typeof request !== 'object' || request === null) throw invalidConfig('request', 'must be an object');
  const fields = request as Readonly<Record<string, unknown>>;
  const { projectId, projectPath, sessionId, signal, client, startConfig, attachments = [] } = fields;
  checkText(projectId, 'projectId');
  checkText(projectPath, 'projectPath');
  if (sessionId !== undefined) checkText(sessionId, 'sessionId');
  checkOptions(
    Object.fromEntries(Object.keys(requestKinds).map((name) => [name, fields[name]])),
    requestKinds,
  );
  checkSignal(signal);
  if (client !== undefined) checkClient(client);
  const { resumeSessionId } = (startConfig ?? {}) as Readonly<Record<string, unknown>>;
  if (resumeSessionId !== undefined)
    throw invalidConfig('startConfig.resumeSessionId', 'is not used here: sessionId names what is resumed');
  if (!Array.isArray(attachments))
    throw invalidConfig('attachments', 'must be a list of { path } or { data, name }');
  attachments.forEach((attachment, index) => checkAttachment(attachment, `attachments[${index}]`));
}

/** As {@link checkRequest}, with what is said. */
export function checkChatPrompt(request: unknown): void {
  checkRequest(request);
  const { prompt } = request as { readonly prompt: string | readonly ContentBlock[] };
  // What the agent takes is not known yet.
  promptContent(prompt, { image: true, audio: true, embeddedContext: true });
}

const fileKinds = { path: 'text', as: 'text', maxBytes: 'amount' } as const;
const dataKinds = { data: 'object', name: 'text', mimeType: 'text', maxBytes: 'amount' } as const;

function checkAttachment(attachment: unknown, field: string): void {
  const isData = typeof attachment === 'object' && attachment !== null && 'data' in attachment;
  checkOptions(attachment, isData ? dataKinds : fileKinds, `${field}.`);
  const { path, data, as, name } = attachment as Readonly<Record<string, unknown>>;
  if (!isData) {
    checkText(path, `${field}.path`);
    if (![undefined, 'auto', 'embed', 'link'].includes(as as undefined))
      throw invalidConfig(`${field}.as`, 'must be auto, embed or link');
    return;
  }
  if (!(data instanceof Uint8Array)) throw invalidConfig(`${field}.data`, 'must be a Uint8Array');
  checkText(name, `${field}.name`);
}
