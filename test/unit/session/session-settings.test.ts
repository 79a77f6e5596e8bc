import { describe, expect, it, vi } from 'vitest';
import {
  applySetting,
  noSettings,
  restoreSettings,
  switchModel,
  withoutModel,
} from '../../../src/session/session-settings.ts';
import type { SessionState } from '../../../src/session/session-state.ts';

const state = {
  modes: { currentModeId: 'ask', availableModes: [] },
  configOptions: [
    {
      id: 'llm',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: 'a',
      options: [
        { value: 'a', name: 'A' },
        { group: 'more', name: 'More', options: [{ value: 'b', name: 'B' }] },
      ],
    },
    { id: 'think', name: 'Think', category: 'thought_level', type: 'boolean', currentValue: false },
  ],
} as unknown as SessionState;

const session = (own: SessionState = state) => ({
  state: own,
  setMode: vi.fn(() => Promise.resolve()),
  setConfigOption: vi.fn((_id: string, _value: string | boolean) => Promise.resolve()),
});

describe('what the caller has set', () => {
  it('is kept, the last of each', () => {
    const changes = [
      { modeId: 'code' },
      { configId: 'think', value: true },
      { configId: 'think', value: false },
    ];
    const settings = changes.reduce((before, change) => applySetting(before, change, state), noSettings);
    expect(settings).toEqual({ modeId: 'code', configOptions: { think: false } });
  });

  it('X15: is kept without the model where the agent starts with another one', () => {
    const changes = [{ configId: 'llm', value: 'b' }, { configId: 'think', value: true }, { modeId: 'code' }];
    const settings = changes.reduce((before, change) => applySetting(before, change, state), noSettings);
    expect(withoutModel(settings)).toEqual({ modeId: 'code', configOptions: { think: true } });
    expect(withoutModel(noSettings)).toEqual(noSettings);
  });
});

describe('restoreSettings', () => {
  const settings = { modeId: 'code', configOptions: { llm: 'b', think: false } };

  it('sets what differs, and nothing else', async () => {
    const target = session();
    await restoreSettings(target, settings, expect.unreachable);
    expect(target.setConfigOption.mock.calls).toEqual([['llm', 'b']]);
    expect(target.setMode).toHaveBeenCalledExactlyOnceWith('code');
    const same = session();
    await restoreSettings(same, { modeId: 'ask', configOptions: {} }, expect.unreachable);
    expect(same.setMode).not.toHaveBeenCalled();
  });

  it('tells what is refused, and sets the rest', async () => {
    const target = session();
    const refusal = new Error('no');
    target.setConfigOption.mockRejectedValue(refusal);
    target.setMode.mockRejectedValue(refusal);
    const lost: unknown[] = [];
    await restoreSettings(target, { modeId: 'code', configOptions: { llm: 'b', think: true } }, (...what) =>
      lost.push(what),
    );
    expect(lost).toEqual([
      ['llm', refusal],
      ['think', refusal],
      ['mode', refusal],
    ]);
  });
});

describe('X15: switchModel', () => {
  it('uses the option for the model, also of one in a group', async () => {
    const target = session();
    expect(await switchModel(target, 'b')).toBe(true);
    expect(target.setConfigOption).toHaveBeenCalledExactlyOnceWith('llm', 'b');
  });

  it.each([
    ['no model is wanted', session(), undefined],
    ['the model is not offered', session(), 'c'],
    ['there is no such option', session({}), 'b'],
    [
      'the option is no choice',
      session({ configOptions: [{ id: 'm', category: 'model', type: 'boolean' }] } as never),
      'b',
    ],
    [
      'its choices are malformed',
      session({ configOptions: [{ id: 'm', category: 'model', type: 'select' }] } as never),
      'b',
    ],
  ])('does nothing where %s', async (_name, target, model) => {
    expect(await switchModel(target, model)).toBe(false);
    expect(target.setConfigOption).not.toHaveBeenCalled();
  });

  it('says that it failed where the agent refuses', async () => {
    const target = session();
    target.setConfigOption.mockRejectedValue(new Error('no'));
    expect(await switchModel(target, 'b')).toBe(false);
  });
});
