import type { SessionUpdate } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TurnRecord } from '../../../src/session/turn-record.ts';

/** Adds updates as an agent may send them, typed or not. */
function record(...updates: readonly object[]): TurnRecord {
  const turn = new TurnRecord();
  for (const update of updates) turn.add(update as SessionUpdate);
  return turn;
}

const chunk = (text: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
});

describe('text', () => {
  test("is that of the agent's message chunks, in order", () => {
    const turn = record(
      chunk('a'),
      { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'thought' } },
      { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'user' } },
      chunk('中'),
      chunk(''),
      { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: 'x', mimeType: 'image/png' } },
      chunk('b'),
    );
    expect(turn.text()).toBe('a中b');
    expect(turn.summary()).toEqual({ updates: 7, textCharacters: 3, toolCalls: 0, empty: false });
  });

  test('can be read at any time, and more than once', () => {
    const turn = record(chunk('a'));
    expect([turn.text(), turn.text()]).toEqual(['a', 'a']);
    turn.add(chunk('b') as SessionUpdate);
    expect(turn.text()).toBe('ab');
  });

  test('is whole after any number of pieces', () => {
    const turn = new TurnRecord();
    for (let index = 0; index < 5_000; index += 1) turn.add(chunk(`${index},`) as SessionUpdate);
    expect(turn.text()).toBe(Array.from({ length: 5_000 }, (_, index) => `${index},`).join(''));
  });
});

describe('B33 a turn is empty', () => {
  test.each([
    ['without updates', []],
    [
      'with nothing but thoughts',
      [{ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'x' } }],
    ],
    ['with nothing but empty text', [chunk('')]],
    ['with nothing but state', [{ sessionUpdate: 'usage_update', used: 1, size: 2 }]],
  ])('%s', (_what, updates) => {
    expect(record(...updates).summary().empty).toBe(true);
  });

  test('but not with a tool call', () => {
    expect(record({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 't' }).summary()).toEqual({
      updates: 1,
      textCharacters: 0,
      toolCalls: 1,
      empty: false,
    });
  });
});

describe('tool calls', () => {
  test('are kept in their last state, in the order in which they came', () => {
    const turn = record(
      { sessionUpdate: 'tool_call', toolCallId: 'a', title: 'A', kind: 'edit', status: 'pending' },
      { sessionUpdate: 'tool_call', toolCallId: 'b', title: 'B' },
      { sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'completed', rawOutput: { n: 1 } },
    );
    expect(turn.toolCalls()).toEqual([
      { toolCallId: 'a', title: 'A', kind: 'edit', status: 'completed', rawOutput: { n: 1 } },
      { toolCallId: 'b', title: 'B' },
    ]);
  });

  test('keep what an update leaves out or sends as null', () => {
    const turn = record(
      { sessionUpdate: 'tool_call', toolCallId: 'a', title: 'A', locations: [{ path: '/x' }] },
      { sessionUpdate: 'tool_call_update', toolCallId: 'a', title: null, locations: null },
    );
    expect(turn.toolCalls()).toEqual([{ toolCallId: 'a', title: 'A', locations: [{ path: '/x' }] }]);
  });

  test('of which only an update came are there as well', () => {
    const turn = record({ sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'completed' });
    expect(turn.toolCalls()).toEqual([{ toolCallId: 'a', title: '', status: 'completed' }]);
  });

  test('B59 say whether one is in progress', () => {
    const turn = new TurnRecord();
    const states: boolean[] = [];
    for (const [toolCallId, status] of [
      ['a', 'pending'],
      ['a', 'in_progress'],
      ['b', 'in_progress'],
      ['a', null],
      ['a', 'completed'],
      ['b', 'failed'],
    ]) {
      turn.add({ sessionUpdate: 'tool_call_update', toolCallId, status } as SessionUpdate);
      states.push(turn.toolCallInProgress);
    }
    expect(states).toEqual([false, true, true, true, true, false]);
  });
});

test('B31 nothing that an agent may send throws', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('agent_message_chunk', 'tool_call', 'tool_call_update', 'plan', 'dreams', undefined),
      fc.dictionary(fc.constantFrom('content', 'toolCallId', 'title', 'status'), fc.jsonValue()),
      (sessionUpdate, fields) => {
        const turn = record({ ...fields, sessionUpdate });
        turn.text();
        turn.toolCalls();
        expect(turn.summary().updates).toBe(1);
      },
    ),
  );
});
