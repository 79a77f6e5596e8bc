import type { ContentBlock, PromptCapabilities } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';
import { promptContent } from '../../../src/session/prompt-content.ts';

const everything: PromptCapabilities = { image: true, audio: true, embeddedContext: true };
const text = { type: 'text', text: 'hi' } as const;

/** Content as a caller without types may pass it. */
function check(content: unknown, capabilities?: PromptCapabilities | null): unknown {
  try {
    return promptContent(content as string, capabilities as PromptCapabilities | undefined);
  } catch (error) {
    if (!AcpLauncherError.isInstance(error)) throw error;
    return { code: error.code, field: error.facts.field, message: error.message };
  }
}

describe('what is taken', () => {
  test.each<[string, unknown, ContentBlock[]]>([
    ['a text', 'hi', [text]],
    ['an empty text', '', [{ type: 'text', text: '' }]],
    ['text blocks', [text, text], [text, text]],
    [
      'a link',
      [{ type: 'resource_link', name: 'a', uri: 'file:///a' }],
      [{ type: 'resource_link', name: 'a', uri: 'file:///a' }],
    ],
  ])('%s, by any agent', (_what, content, expected) => {
    expect(check(content)).toEqual(expected);
    expect(check(content, null)).toEqual(expected);
    expect(check(content, {})).toEqual(expected);
  });

  test.each<[keyof PromptCapabilities, ContentBlock]>([
    ['image', { type: 'image', data: 'AA==', mimeType: 'image/png' }],
    ['audio', { type: 'audio', data: 'AA==', mimeType: 'audio/wav' }],
    ['embeddedContext', { type: 'resource', resource: { uri: 'file:///a', text: 'x' } }],
    ['embeddedContext', { type: 'resource', resource: { uri: 'file:///a', blob: 'AA==' } }],
  ])('%s, by an agent that advertises it', (capability, block) => {
    expect(check([block], { [capability]: true })).toEqual([block]);
    const others = { ...everything, [capability]: false };
    for (const lacking of [undefined, null, {}, others]) {
      expect(check([text, block], lacking)).toMatchObject({
        code: 'unsupported-content',
        field: 'prompt[1]',
        message: expect.stringContaining(`promptCapabilities.${capability}`) as string,
      });
    }
  });

  test('a copy: what the caller does with its array later changes nothing', () => {
    const blocks = [text];
    const prompt = promptContent(blocks, undefined);
    blocks.pop();
    expect(prompt).toEqual([text]);
  });
});

describe('what is refused', () => {
  test.each<[unknown, string]>([
    [undefined, 'prompt'],
    [null, 'prompt'],
    [7, 'prompt'],
    [text, 'prompt'],
    [[], 'prompt'],
    [[text, 'hi'], 'prompt[1]'],
    [[null], 'prompt[0]'],
    [Object.assign(new Array(2), { 1: text }), 'prompt[0]'],
    [[{}], 'prompt[0].type'],
    [[{ type: 'video' }], 'prompt[0].type'],
    [[{ type: 'constructor' }], 'prompt[0].type'],
    [[{ type: 'text' }], 'prompt[0].text'],
    [[{ type: 'text', text: 7 }], 'prompt[0].text'],
    [[{ type: 'resource_link', uri: 'file:///a' }], 'prompt[0].name'],
    [[{ type: 'resource_link', name: 'a' }], 'prompt[0].uri'],
    [[{ type: 'image', mimeType: 'image/png' }], 'prompt[0].data'],
    [[{ type: 'image', data: 'AA==' }], 'prompt[0].mimeType'],
    [[{ type: 'audio', data: new Uint8Array(1), mimeType: 'audio/wav' }], 'prompt[0].data'],
    [[{ type: 'resource' }], 'prompt[0].resource.uri'],
    [[{ type: 'resource', resource: { text: 'x' } }], 'prompt[0].resource.uri'],
    [[{ type: 'resource', resource: { uri: 'file:///a' } }], 'prompt[0].resource'],
  ])('%j, naming %s', (content, field) => {
    expect(check(content, everything)).toMatchObject({ code: 'invalid-config', field });
  });

  test('the message names the block and never repeats its data', () => {
    const message = (check([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }]) as { message: string })
      .message;
    expect(message).toMatch(/^prompt\[0\] /);
    expect(message).not.toContain('AAAA');
  });
});
