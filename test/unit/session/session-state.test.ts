import type { SessionUpdate } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  applyUpdate,
  stateFromResponse,
  withConfigOptions,
  withMode,
  type SessionState,
} from '../../../src/session/session-state.ts';

const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] };
const configOptions = [
  { id: 'model', name: 'Model', type: 'select', currentValue: 'a', options: [] },
] as unknown as NonNullable<SessionState['configOptions']>;

const apply = (state: SessionState, update: object) => applyUpdate(state, update as SessionUpdate);

describe('the response', () => {
  test.each([
    [{ sessionId: 's' }, {}],
    [
      { sessionId: 's', modes, configOptions },
      { modes, configOptions },
    ],
    [{ modes: null, configOptions: null }, {}],
    [null, {}],
    [undefined, {}],
    ['text', {}],
    [{ modes: 'ask', configOptions: {} }, {}],
    [{ modes: { currentModeId: 'ask' } }, {}],
    [{ modes: { availableModes: [null], currentModeId: 'ask' } }, {}],
    [{ modes: { availableModes: [] } }, {}],
    [{ configOptions: [null] }, {}],
  ])('%j', (response, expected) => {
    expect(stateFromResponse(response)).toEqual(expected);
  });
});

describe('an update', () => {
  const before: SessionState = { modes, configOptions, title: 'old' };

  test.each([
    [
      { sessionUpdate: 'current_mode_update', currentModeId: 'code' },
      { modes: { ...modes, currentModeId: 'code' } },
    ],
    [{ sessionUpdate: 'config_option_update', configOptions: [] }, { configOptions: [] }],
    [
      { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'plan', description: 'd' }] },
      { availableCommands: [{ name: 'plan', description: 'd' }] },
    ],
    [
      { sessionUpdate: 'plan', entries: [{ content: 'c', priority: 'low', status: 'pending' }] },
      { plan: [{ content: 'c', priority: 'low', status: 'pending' }] },
    ],
    [{ sessionUpdate: 'usage_update', used: 1, size: 2 }, { usage: { used: 1, size: 2 } }],
    [{ sessionUpdate: 'usage_update', used: null, size: 2 }, { usage: { used: null, size: 2 } }],
    [{ sessionUpdate: 'session_info_update', title: 'new' }, { title: 'new' }],
  ])('%j changes what it names, in a new object', (update, changes) => {
    expect(apply(before, update)).toEqual({ ...before, ...changes });
    expect(before).toEqual({ modes, configOptions, title: 'old' });
  });

  test.each([
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x' } },
    { sessionUpdate: 'dreams', title: 'new' },
    { sessionUpdate: 'current_mode_update' },
    { sessionUpdate: 'current_mode_update', currentModeId: 3 },
    { sessionUpdate: 'config_option_update', configOptions: null },
    { sessionUpdate: 'available_commands_update', availableCommands: [null] },
    { sessionUpdate: 'plan', entries: 'none' },
    { sessionUpdate: 'session_info_update' },
    { sessionUpdate: 'session_info_update', title: 7 },
  ])('%j changes nothing', (update) => {
    expect(apply(before, update)).toBe(before);
  });

  test('a title of null takes the title away', () => {
    expect(apply(before, { sessionUpdate: 'session_info_update', title: null })).toEqual({
      modes,
      configOptions,
    });
    const untitled = { modes };
    expect(apply(untitled, { sessionUpdate: 'session_info_update', title: null })).toBe(untitled);
  });

  test('a mode of an agent that offered none is kept', () => {
    expect(withMode({}, 'code')).toEqual({ modes: { availableModes: [], currentModeId: 'code' } });
  });

  test('B31 nothing that an agent may send throws', () => {
    const kinds = [
      'current_mode_update',
      'config_option_update',
      'available_commands_update',
      'plan',
      'usage_update',
      'session_info_update',
    ];
    const fields = fc.dictionary(
      fc.constantFrom('currentModeId', 'configOptions', 'availableCommands', 'entries', 'title'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fields, (sessionUpdate, values) => {
        apply({}, { ...values, sessionUpdate });
      }),
    );
    fc.assert(fc.property(fc.jsonValue(), (response) => void stateFromResponse(response)));
  });
});

test('config options are only replaced by a list of them', () => {
  const state: SessionState = { configOptions };
  expect(withConfigOptions(state, undefined)).toBe(state);
  expect(withConfigOptions(state, [])).toEqual({ configOptions: [] });
});
