import { describe, expect, test } from 'vitest';
import {
  choosePermissionOption,
  type PermissionDecision,
} from '../../../src/client/choose-permission-option.ts';

const option = (kind: unknown, optionId: unknown = kind) => ({ optionId, name: 'any', kind });
const all = ['reject_always', 'reject_once', 'allow_always', 'allow_once'].map((kind) => option(kind));
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });
const cancelled = { outcome: { outcome: 'cancelled' } };

describe('choosePermissionOption', () => {
  test.each<[PermissionDecision, unknown, unknown]>([
    ['allow', all, selected('allow_once')],
    ['allow-always', all, selected('allow_always')],
    ['reject', all, selected('reject_once')],
    ['reject-always', all, selected('reject_always')],
    ['cancel', all, cancelled],
    ['allow', [option('allow_always')], selected('allow_always')],
    ['allow-always', [option('allow_once')], selected('allow_once')],
    ['reject', [option('reject_always')], selected('reject_always')],
    ['reject-always', [option('reject_once')], selected('reject_once')],
  ])('B42 %s picks by kind, whatever the order: %#', (decision, options, expected) => {
    expect(choosePermissionOption(decision, options)).toEqual(expected);
  });

  test.each<[string, PermissionDecision, unknown]>([
    ['only reject kinds', 'allow', [option('reject_once'), option('reject_always')]],
    ['only allow kinds', 'reject', [option('allow_once'), option('allow_always')]],
    ['an empty list', 'allow', []],
    ['no list', 'allow', undefined],
    ['null', 'reject', null],
    ['something that is no list', 'allow', { optionId: 'x', kind: 'allow_once' }],
    ['unknown kinds', 'allow', [option('allow_for_session'), option('ALLOW_ONCE')]],
    ['no kind', 'allow', [{ optionId: 'allow_once', name: 'Allow' }]],
    ['entries that are no options', 'allow', [null, 'allow_once', 7, []]],
    ['ids that are no text', 'allow', [option('allow_once', 7), option('allow_always', null)]],
    ['a decision that is none', 'yes' as PermissionDecision, all],
  ])('B42 cancels where nothing fits: %s', (_what, decision, options) => {
    expect(choosePermissionOption(decision, options)).toEqual(cancelled);
  });

  test('B42 sends the exact id, skipping what is malformed', () => {
    const options = [null, option('allow_once', 3), option('allow_once', ' Proceed/Ünce ')];
    expect(choosePermissionOption('allow', options)).toEqual(selected(' Proceed/Ünce '));
  });

  test.each([
    [
      'an offered id, of any kind',
      { optionId: 'mine' },
      [option('allow_for_session', 'mine')],
      selected('mine'),
    ],
    ['an id that was not offered', { optionId: 'other' }, all, cancelled],
    ['an empty id that was offered', { optionId: '' }, [option('allow_once', '')], selected('')],
  ])('selects by id: %s', (_what, decision, options, expected) => {
    expect(choosePermissionOption(decision, options)).toEqual(expected);
  });

  test('a decision of the wrong type cancels', () => {
    for (const decision of [undefined, null, true, {}]) {
      expect(choosePermissionOption(decision as never, all)).toEqual(cancelled);
    }
  });
});
