import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import type { AgentClient } from '../../../src/client/agent-client.ts';
import { defaultLimits } from '../../../src/config/launcher-options.ts';
import { PromptQueue } from '../../../src/session/prompt-queue.ts';
import { SessionUpdates } from '../../../src/session/session-updates.ts';
import { FakeAgent } from '../wire/fake-agent.ts';
import { createTurn, microtasks, textUpdate } from './fake-turn-port.ts';

function createUpdates(options: { replaying?: boolean; client?: AgentClient } = {}) {
  const log: string[] = [];
  const queue = new PromptQueue(10);
  const updates = new SessionUpdates({
    sessionId: 's',
    wire: new FakeAgent().wire,
    client: {},
    limits: { ...defaultLimits, maxBufferedBytes: 100, maxBufferedHardBytes: 200 },
    queue,
    replaying: false,
    onUpdate: (update, phase) => log.push(`${phase} ${nameOf(update)}`),
    onStalled: () => log.push('stalled'),
    onFirstTurnUpdate: () => log.push('first'),
    onError: (error) => log.push(String(error)),
    ...options,
  });
  const receive = (update: string | object, size = 1) =>
    updates.receive(
      { sessionId: 's', update: typeof update === 'string' ? textUpdate(update) : (update as SessionUpdate) },
      size,
    );
  return { log, queue, updates, receive };
}

const nameOf = (update: SessionUpdate) =>
  update.sessionUpdate === 'agent_message_chunk'
    ? (update.content as { text: string }).text
    : update.sessionUpdate;

test('B29 an update belongs to the turn that is open, and to none when none is', async () => {
  const { log, queue, receive } = createUpdates();
  receive('before');
  const { port, turn } = createTurn();
  queue.add(turn);
  receive('in');
  port.readResponse({ stopReason: 'end_turn' });
  receive('late');
  await microtasks();
  receive('after');
  expect(log).toEqual(['outside before', 'turn in', 'first', 'outside late', 'outside after']);
  expect(turn.summary.updates).toBe(1);
});

test('B22 what comes until the opening request is answered is history, and of no turn', () => {
  const { log, queue, updates, receive } = createUpdates({ replaying: true });
  const { turn } = createTurn();
  queue.add(turn);
  receive('old');
  updates.answered({ modes: { currentModeId: 'ask', availableModes: [] } });
  receive('new');
  expect(log).toEqual(['replay old', 'turn new', 'first']);
  expect(turn.summary.updates).toBe(1);
  expect(updates.state.modes?.currentModeId).toBe('ask');
});

test('what is only state is no sign that the agent works on a turn', () => {
  const { log, queue, updates, receive } = createUpdates();
  queue.add(createTurn().turn);
  receive({ sessionUpdate: 'session_info_update', title: 'A title' });
  receive('text');
  receive('more');
  expect(log).toEqual(['turn session_info_update', 'turn text', 'first', 'turn more']);
  expect(updates.state.title).toBe('A title');
});

describe('the handler of the client', () => {
  test('gets every update with where it stands, until the session ends', () => {
    const seen: string[] = [];
    const { updates, receive } = createUpdates({
      replaying: true,
      client: {
        sessionUpdate: ({ sessionId, update }, { phase }) =>
          void seen.push(`${sessionId} ${phase} ${nameOf(update)}`),
      },
    });
    receive('old');
    updates.answered({});
    receive('new');
    updates.close();
    receive('too late');
    expect(seen).toEqual(['s replay old', 's outside new']);
  });

  test('X12 that lets more pile up than may wait fails the turn, and that is told', async () => {
    const { log, queue, receive } = createUpdates({
      client: { sessionUpdate: () => new Promise(() => undefined) },
    });
    const { port, turn } = createTurn();
    queue.add(turn);
    receive('taken');
    receive('waits');
    receive('much', 200);
    port.readResponse({ stopReason: 'cancelled' });
    await expect(turn.result).rejects.toMatchObject({ code: 'turn-overflow' });
    expect(port.calls).toContain('cancel');
    expect(log.at(-1)).toContain('in front of the sessionUpdate handler');
  });
});
