import type { AgentCapabilities } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { assertAdvertised, assertOffered, isAdvertised } from '../../../src/session/advertised.ts';

const advertising = {
  'session/load': { loadSession: true },
  'session/resume': { sessionCapabilities: { resume: {} } },
  'session/list': { sessionCapabilities: { list: {} } },
  'session/delete': { sessionCapabilities: { delete: {} } },
  'session/close': { sessionCapabilities: { close: {} } },
  logout: { auth: { logout: {} } },
} satisfies Record<string, AgentCapabilities>;

const entries = Object.entries(advertising) as [keyof typeof advertising, AgentCapabilities][];

describe.each(entries)('B12 %s', (method, capabilities) => {
  test('is advertised by its own capability alone', () => {
    for (const [other, otherCapabilities] of entries) {
      expect(isAdvertised(method, otherCapabilities)).toBe(other === method);
    }
    expect(() => assertAdvertised(method, capabilities)).not.toThrow();
  });

  test.each([
    {},
    { loadSession: false, sessionCapabilities: null, auth: null },
    {
      sessionCapabilities: { resume: null, list: null, delete: null, close: null },
      auth: { logout: null },
    },
    { sessionCapabilities: { resume: false, list: false, delete: false, close: false } },
  ])('is not advertised by %j', (none) => {
    const check = () => assertAdvertised(method, none as AgentCapabilities);
    expect(check).toThrow(expect.objectContaining({ code: 'capability-missing' }));
    expect(check).toThrow(method);
  });
});

describe('an offer', () => {
  test('holds what is offered', () => {
    expect(() => assertOffered('mode', 'ask', ['code', 'ask'], 's')).not.toThrow();
  });

  test.each([
    [['code', 'plan'], 'it offers code, plan'],
    [[], 'it offers no modes'],
  ])('of %j does not hold another', (offered, says) => {
    const check = () => assertOffered('mode', 'ask', offered, 's');
    expect(check).toThrow(expect.objectContaining({ code: 'capability-missing' }));
    expect(check).toThrow(says);
  });
});
