import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { describe, expect, test, vi } from 'vitest';
import type { PermissionRule } from '../../../src/client/permission-rules.ts';
import {
  approveAll,
  approveReads,
  askPermission,
  permissionRules,
  rejectAll,
  type PermissionCallback,
  type RequestPermissionHandler,
} from '../../../src/client/permissions.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const options = ['reject_always', 'allow_always', 'reject_once', 'allow_once'].map((kind) => ({
  optionId: `id-of-${kind}`,
  name: kind,
  kind,
}));
const cancelled = { outcome: { outcome: 'cancelled' } };

function request(toolCall: unknown, offered: unknown): RequestPermissionRequest {
  return { sessionId: 's', toolCall, options: offered } as RequestPermissionRequest;
}

async function answer(
  handler: RequestPermissionHandler,
  toolCall: unknown,
  asked: { signal?: AbortSignal; offered?: unknown } = {},
): Promise<string> {
  const { signal = new AbortController().signal } = asked;
  const offered = 'offered' in asked ? asked.offered : options;
  const { outcome } = await handler(request(toolCall, offered), { signal, sessionId: 's' });
  return outcome.outcome === 'selected' ? outcome.optionId.replace('id-of-', '') : outcome.outcome;
}

const at = (...paths: unknown[]) => ({
  toolCallId: '1',
  kind: 'edit',
  locations: paths.map((path) => ({ path })),
});

describe('ready-made policies', () => {
  test('B42 approveAll and rejectAll decide by kind, and cancel where nothing fits', async () => {
    expect(await answer(approveAll(), {})).toBe('allow_once');
    expect(await answer(rejectAll(), {})).toBe('reject_once');
    for (const offered of [[], undefined, null, [{ optionId: 'a', kind: 'new_kind' }]]) {
      for (const handler of [approveAll(), rejectAll(), approveReads()]) {
        expect(await answer(handler, {}, { offered })).toBe('cancelled');
      }
    }
  });

  test.each([
    ['read', 'allow_once'],
    ['search', 'allow_once'],
    ['edit', 'reject_once'],
    ['think', 'reject_once'],
    ['fetch', 'reject_once'],
    ['switch_mode', 'reject_once'],
    ['a kind of tomorrow', 'reject_once'],
    [undefined, 'reject_once'],
    [null, 'reject_once'],
  ])('approveReads answers %s with %s', async (kind, expected) => {
    expect(await answer(approveReads(), { toolCallId: '1', kind })).toBe(expected);
  });

  test.each([undefined, null, {}, { locations: 'x', title: 3 }, { locations: [null, 3, {}] }])(
    'B42 no shape of tool call makes a policy throw: %j',
    async (toolCall) => {
      const rules: PermissionRule[] = [
        { title: /x/, decision: 'allow' },
        { location: '/', decision: 'allow' },
      ];
      expect(await answer(approveReads(), toolCall)).toBe('reject_once');
      expect(await answer(permissionRules(rules), toolCall)).toBe('reject_once');
    },
  );
});

describe('permissionRules', () => {
  test.each<[string, PermissionRule[], unknown, string]>([
    [
      'the first rule that fits decides',
      [{ kind: 'edit', decision: 'reject-always' }, { decision: 'allow' }],
      at('/p'),
      'reject_always',
    ],
    ['a rule without conditions fits all', [{ decision: 'allow-always' }], {}, 'allow_always'],
    ['one of several kinds', [{ kind: ['read', 'edit'], decision: 'allow' }], at('/p'), 'allow_once'],
    ['all conditions must hold', [{ kind: 'edit', title: 'x', decision: 'allow' }], at('/p'), 'reject_once'],
    [
      'a title is the whole title',
      [{ title: 'npm', decision: 'allow' }],
      { title: 'npm publish' },
      'reject_once',
    ],
    [
      'a pattern may be anywhere',
      [{ title: /publish$/, decision: 'allow' }],
      { title: 'npm publish' },
      'allow_once',
    ],
    ['no title, no fit', [{ title: /.*/, decision: 'allow' }], {}, 'reject_once'],
    ['cancel is a decision', [{ decision: 'cancel' }], {}, 'cancelled'],
    [
      'allowed inside',
      [{ location: '/nope/p', decision: 'allow' }],
      at('/nope/p/a', '/nope/p/b'),
      'allow_once',
    ],
    [
      'not when one is outside',
      [{ location: '/nope/p', decision: 'allow' }],
      at('/nope/p/a', '/nope/q'),
      'reject_once',
    ],
    [
      'not for a neighbour of the same beginning',
      [{ location: '/nope/p', decision: 'allow' }],
      at('/nope/pp/a'),
      'reject_once',
    ],
    ['not without a location', [{ location: '/', decision: 'allow' }], at(), 'reject_once'],
    ['not for a relative one', [{ location: '/', decision: 'allow' }], at('a'), 'reject_once'],
    ['not through ..', [{ location: '/nope/p', decision: 'allow' }], at('/nope/p/../q/a'), 'reject_once'],
    [
      'not even where .. comes back',
      [{ location: '/nope/p', decision: 'allow' }],
      at('/nope/p/x/../a'),
      'reject_once',
    ],
    ['not with a NUL', [{ location: '/nope/p', decision: 'allow' }], at('/nope/p/\0'), 'reject_once'],
    [
      'rejected when one is there',
      [{ location: '/nope/q', decision: 'reject-always' }, { decision: 'allow' }],
      at('/nope/p', '/nope/q/a'),
      'reject_always',
    ],
    [
      'rejected through ..',
      [{ location: '/nope/q', decision: 'reject-always' }, { decision: 'allow' }],
      at('/nope/p/../q/a'),
      'reject_always',
    ],
  ])('%s', async (_what, rules, toolCall, expected) => {
    expect(await answer(permissionRules(rules), toolCall)).toBe(expected);
  });

  test('a pattern with the g flag decides the same each time', async () => {
    const handler = permissionRules([{ title: /a/g, decision: 'allow' }]);
    for (let round = 0; round < 3; round += 1)
      expect(await answer(handler, { title: 'a' })).toBe('allow_once');
  });

  test('locations are compared with every link resolved, on both sides', async () => {
    const base = temporaryDirectory();
    mkdirSync(join(base, 'project/src'), { recursive: true });
    mkdirSync(join(base, 'outside'));
    symlinkSync('project', join(base, 'alias'));
    symlinkSync('../outside', join(base, 'project/escape'));
    symlinkSync('../outside/new', join(base, 'project/dangling'));
    symlinkSync('loop', join(base, 'project/loop'));

    for (const location of [join(base, 'project'), join(base, 'alias'), join(base, 'alias/**')]) {
      const handler = permissionRules([{ location, decision: 'allow' }]);
      expect(await answer(handler, at(join(base, 'project/src/new.ts')))).toBe('allow_once');
      expect(await answer(handler, at(join(base, 'alias/src/new.ts')))).toBe('allow_once');
      expect(await answer(handler, at(join(base, 'project/escape/new.ts')))).toBe('reject_once');
      expect(await answer(handler, at(join(base, 'project/dangling')))).toBe('reject_once');
      expect(await answer(handler, at(join(base, 'project/loop')))).toBe('reject_once');
    }

    const guard = permissionRules([{ location: join(base, 'outside'), decision: 'reject' }], {
      otherwise: 'allow',
    });
    expect(await answer(guard, at(join(base, 'project/escape/new.ts')))).toBe('reject_once');
    expect(await answer(guard, at(join(base, 'project/src')))).toBe('allow_once');
    const byName = permissionRules([{ location: join(base, 'project/escape'), decision: 'reject' }], {
      otherwise: 'allow',
    });
    expect(await answer(byName, at(join(base, 'project/escape')))).toBe('reject_once');
  });

  test('a link that replaces the allowed directory later is not followed', async () => {
    const base = temporaryDirectory();
    mkdirSync(join(base, 'outside'));
    const handler = permissionRules([{ location: join(base, 'build'), decision: 'allow' }]);
    expect(await answer(handler, at(join(base, 'build/a')))).toBe('allow_once');
    symlinkSync('outside', join(base, 'build'));
    expect(await answer(handler, at(join(base, 'build/a')))).toBe('reject_once');
  });

  test('otherwise may ask, and is only asked when no rule fits', async () => {
    const ask = vi.fn<PermissionCallback>(() => 'allow-always');
    const handler = permissionRules([{ kind: 'read', decision: 'reject' }], {
      otherwise: askPermission(ask),
    });
    expect(await answer(handler, { kind: 'read' })).toBe('reject_once');
    expect(ask).not.toHaveBeenCalled();
    expect(await answer(handler, { kind: 'edit' })).toBe('allow_always');
  });

  test('what the agent said of the call before counts, and what the request says of it in the first place', async () => {
    const handler = permissionRules([{ kind: 'read', decision: 'allow' }]);
    const context = (kind: 'read' | 'edit') => ({
      signal: new AbortController().signal,
      toolCall: { toolCallId: 'c', title: 'x', kind },
    });
    expect(await handler(request({ toolCallId: 'c' }, options), context('read'))).toEqual(
      await handler(request({ kind: 'read' }, options), { signal: new AbortController().signal }),
    );
    expect(await handler(request({ toolCallId: 'c' }, options), context('edit'))).toMatchObject({
      outcome: { optionId: 'id-of-reject_once' },
    });
  });

  test('a relative location is refused when the rules are made', () => {
    expect(() => permissionRules([{ location: 'src', decision: 'allow' }])).toThrow(/rules\[0\]\.location/);
  });
});

describe('askPermission', () => {
  test('passes the request and takes a decision or an offered id', async () => {
    const seen: unknown[] = [];
    const handler = askPermission((asked, { sessionId, signal }) => {
      seen.push(asked.toolCall, sessionId, signal.aborted);
      return Promise.resolve('reject');
    });
    expect(await answer(handler, { title: 'x' })).toBe('reject_once');
    expect(seen).toEqual([{ title: 'x' }, 's', false]);
    expect(
      await answer(
        askPermission(() => ({ optionId: 'id-of-allow_always' })),
        {},
      ),
    ).toBe('allow_always');
    expect(
      await answer(
        askPermission(() => ({ optionId: 'never offered' })),
        {},
      ),
    ).toBe('cancelled');
  });

  test('B41 an abort cancels, aborts the signal of the callback, and drops a late decision', async () => {
    const turn = new AbortController();
    let decide: ((decision: 'allow') => void) | undefined;
    let callbackSignal: AbortSignal | undefined;
    const handler = askPermission((_request, { signal }) => {
      callbackSignal = signal;
      return new Promise((resolve) => (decide = resolve));
    });
    const answered = handler(request({}, options), { signal: turn.signal });
    turn.abort();
    expect(await answered).toEqual(cancelled);
    expect(callbackSignal?.aborted).toBe(true);
    decide?.('allow');
    expect(await answered).toEqual(cancelled);
  });

  test('B41 a deadline cancels and aborts the signal of the callback', async () => {
    let callbackSignal: AbortSignal | undefined;
    const handler = askPermission(
      (_request, { signal }) => {
        callbackSignal = signal;
        return new Promise(() => undefined);
      },
      { timeoutMs: 1 },
    );
    expect(await answer(handler, {})).toBe('cancelled');
    expect(callbackSignal?.aborted).toBe(true);
  });

  test('B41 a callback that fails because it was aborted is a cancelled request', async () => {
    const turn = new AbortController();
    const handler = askPermission(
      (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('dialog closed')));
        }),
    );
    const answered = handler(request({}, options), { signal: turn.signal });
    turn.abort();
    expect(await answered).toEqual(cancelled);
  });

  test('B41 nobody is asked about a request that is over already', async () => {
    const ask = vi.fn<PermissionCallback>(() => 'allow');
    expect(await answer(askPermission(ask), {}, { signal: AbortSignal.abort() })).toBe('cancelled');
    expect(ask).not.toHaveBeenCalled();
  });

  test('what the callback throws reaches the library, thrown at once or later', async () => {
    const context = { signal: new AbortController().signal };
    const failure = new Error('broken dialog');
    const atOnce = askPermission(() => {
      throw failure;
    });
    await expect(atOnce(request({}, options), context)).rejects.toBe(failure);
    await expect(askPermission(() => Promise.reject(failure))(request({}, options), context)).rejects.toBe(
      failure,
    );
  });

  test('leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');
    await answer(
      askPermission(() => 'allow'),
      {},
      { signal },
    );
    expect(remove.mock.calls.map(([, listener]) => listener)).toEqual(
      add.mock.calls.map(([, listener]) => listener),
    );
    expect(add).toHaveBeenCalledTimes(1);
  });
});
