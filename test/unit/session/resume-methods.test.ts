import { expect, it, test } from 'vitest';
import { resumeMethods } from '../../../src/session/resume-methods.ts';

const both = { loadSession: true, sessionCapabilities: { resume: {} } };

test.each([
  [both, ['session/resume', 'session/load', 'session/new']],
  [{ loadSession: true }, ['session/load', 'session/new']],
  [{ loadSession: false, sessionCapabilities: { resume: {} } }, ['session/resume', 'session/new']],
  [{ sessionCapabilities: { resume: null } }, ['session/new']],
  [{}, ['session/new']],
])('native: never one that is not advertised: %o', (capabilities, methods) => {
  expect(resumeMethods('native', capabilities)).toEqual(methods);
});

it('meta: session/new alone', () => {
  expect(resumeMethods('meta', both)).toEqual(['session/new']);
});
