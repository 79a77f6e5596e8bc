import { describe, expect, it, test } from 'vitest';
import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';
import { defaultResumeKeywords } from '../../../src/session/resume-keywords.ts';
import { defaultResumePolicy, resolveResumePolicy } from '../../../src/session/resume-policy.ts';

const keyword = { pattern: 'x', kind: 'missing', lookIn: ['data'] };

function fieldOfError(input: object): unknown {
  try {
    resolveResumePolicy(input);
  } catch (error) {
    if (AcpLauncherError.isInstance(error) && error.code === 'invalid-config') {
      expect(error.message).toContain(error.facts.field);
      return error.facts.field;
    }
    throw error;
  }
  return 'no error';
}

it('has the documented defaults, over which undefined puts nothing', () => {
  expect(resolveResumePolicy({ enableFallback: undefined as never, maxRetries: 3 })).toEqual({
    enableFallback: true,
    maxRetries: 3,
    preserveMcpServers: true,
    keywords: defaultResumeKeywords,
    fallbackOn: ['missing', 'unresumable', 'unsupported'],
  });
  expect(resolveResumePolicy({})).toEqual(defaultResumePolicy);
});

test.each<[string, object]>([
  ['enableFallback', { enableFallback: 'no' }],
  ['maxRetries', { maxRetries: -1 }],
  ['maxRetries', { maxRetries: 1.5 }],
  ['maxRetries', { maxRetries: Infinity }],
  ['preserveMcpServers', { preserveMcpServers: 1 }],
  ['keywords', { keywords: 'session' }],
  ['keywords', { keywords: [{ ...keyword, pattern: 7 }] }],
  ['keywords', { keywords: [{ ...keyword, pattern: '' }] }],
  ['keywords', { keywords: [{ ...keyword, kind: 'lost' }] }],
  ['keywords', { keywords: [{ ...keyword, lookIn: ['stdout'] }] }],
  ['keywords', { keywords: [{ ...keyword, lookIn: undefined }] }],
  ['keywords', { keywords: [null] }],
  ['fallbackOn', { fallbackOn: 'missing' }],
  ['fallbackOn', { fallbackOn: ['mising'] }],
  ['strategy', { strategy: 'load' }],
  ['classify', { classify: true }],
  ['maxRetrys', { maxRetrys: 2 }],
])('refuses a wrong %s: %o', (field, input) => {
  expect(fieldOfError(input)).toBe(`resumePolicy.${field}`);
});

describe('a valid policy', () => {
  it('is taken as it is', () => {
    const classify = () => undefined;
    const policy = { keywords: [keyword], fallbackOn: ['locked', 'timeout'], strategy: 'native', classify };
    expect(resolveResumePolicy(policy as never)).toMatchObject(policy);
  });
});
