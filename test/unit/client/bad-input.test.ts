import { describe, expect, test } from 'vitest';
import * as publicApi from '../../../src/index.ts';

/** Callers without types, or with data from elsewhere. */
const api = publicApi as unknown as Record<string, (...values: unknown[]) => unknown>;
const roots = [process.cwd()];
const bytes = Buffer.from('x');

/** What is called, with what, and the field that the error names. */
const mistakes: [string, unknown[], string][] = [
  ['permissionRules', [], 'rules'],
  ['permissionRules', ['allow'], 'rules'],
  ['permissionRules', [[null]], 'rules[0]'],
  ['permissionRules', [[{ decision: 'allow' }, { decision: 'maybe' }]], 'rules[1].decision'],
  ['permissionRules', [[{ kind: 'read' }]], 'rules[0].decision'],
  // Taken for a rule without conditions, it would allow everything.
  ['permissionRules', [[{ kinds: 'read', decision: 'allow' }]], 'rules[0].kinds'],
  ['permissionRules', [[{ kind: 5, decision: 'allow' }]], 'rules[0].kind'],
  ['permissionRules', [[{ title: 5, decision: 'allow' }]], 'rules[0].title'],
  ['permissionRules', [[{ title: {}, decision: 'allow' }]], 'rules[0].title'],
  ['permissionRules', [[{ location: 5, decision: 'allow' }]], 'rules[0].location'],
  ['permissionRules', [[], null], 'options'],
  ['permissionRules', [[], { otherwise: 'ask' }], 'otherwise'],
  ['permissionRules', [[], { otherwise: 5 }], 'otherwise'],
  ['permissionRules', [[], { else: 'allow' }], 'else'],
  ['askPermission', [], 'callback'],
  ['askPermission', [() => 'allow', null], 'options'],
  ['askPermission', [() => 'allow', { timeoutMs: 'x' }], 'timeoutMs'],
  ['askPermission', [() => 'allow', { timeoutMs: NaN }], 'timeoutMs'],
  ['workspaceFiles', [], 'options'],
  ['workspaceFiles', [{}], 'roots'],
  ['workspaceFiles', [{ roots: [] }], 'roots'],
  ['workspaceFiles', [{ roots: '/tmp' }], 'roots'],
  ['workspaceFiles', [{ roots: [5] }], 'roots'],
  ['workspaceFiles', [{ roots, maxBytes: 'x' }], 'maxBytes'],
  ['workspaceFiles', [{ roots, readOnly: 'yes' }], 'readOnly'],
  ['workspaceFiles', [{ roots, readonly: true }], 'readonly'],
  ['localTerminals', [], 'options'],
  ['localTerminals', [{ roots: '/tmp' }], 'roots'],
  ['localTerminals', [{ roots, maxOutputBytes: -1 }], 'maxOutputBytes'],
  ['localTerminals', [{ roots, maxTerminals: '3' }], 'maxTerminals'],
  ['localTerminals', [{ roots, env: 'x' }], 'env'],
  ['localTerminals', [{ roots, env: { A: 5 } }], 'env.A'],
  ['bufferBlock', [bytes], 'options'],
  ['bufferBlock', [bytes, {}], 'name'],
  ['bufferBlock', ['text', { name: 'a' }], 'bytes'],
  ['bufferBlock', [bytes, { name: 'a', mimeType: 5 }], 'mimeType'],
  ['bufferBlock', [bytes, { name: 'a', maxBytes: '5' }], 'maxBytes'],
  ['fileBlock', [], 'path'],
  ['fileBlock', ['/no', null], 'options'],
  ['fileBlock', ['/no', { as: 'x' }], 'as'],
  ['fileBlock', ['/no', { maxBytes: 'x' }], 'maxBytes'],
  ['fileBlock', ['/no/such/file'], 'path'],
  ['resourceLink', [null], 'pathOrUri'],
  ['resourceLink', ['/a', null], 'options'],
  ['resourceLink', ['/a', { name: 5 }], 'name'],
  ['textBlock', [5], 'text'],
];

describe('what the client is made of names the argument that is wrong', () => {
  test.each(mistakes)('%s(%j)', async (name, values, field) => {
    const made = Promise.resolve().then(() => api[name]?.(...values));
    await expect(made).rejects.toMatchObject({ code: 'invalid-config', facts: { field } });
  });
});

test('what is right is taken', () => {
  const handler = publicApi.permissionRules(
    [{ kind: ['read'], title: /./u, location: '/a/**', decision: 'allow' }],
    { otherwise: publicApi.approveReads() },
  );
  expect(handler).toBeTypeOf('function');
  expect(Object.keys(publicApi.workspaceFiles({ roots, maxBytes: Infinity, readOnly: true }))).toEqual([
    'readTextFile',
  ]);
  expect(publicApi.localTerminals({ roots, env: { A: 'x', B: undefined } })).toHaveProperty('createTerminal');
  expect(publicApi.bufferBlock(bytes, { name: 'a.txt', maxBytes: 1 })).toMatchObject({ type: 'resource' });
});
