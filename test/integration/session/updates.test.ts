import type { SessionNotification, SessionUpdate } from '@agentclientprotocol/sdk';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import type { AgentClient } from '../../../src/client/agent-client.ts';
import { AgentStartConfig } from '../../../src/config/agent-start-config.ts';
import { agentRuns } from '../../helpers/agent-runs.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const runs = agentRuns();

const textOf = (update: SessionUpdate) => (update as { content?: { text?: string } }).content?.text ?? '';

/** A client that notes every update and where it stands. */
function notingClient() {
  const seen: string[] = [];
  const client: AgentClient = {
    sessionUpdate: ({ update }: SessionNotification, { phase }) => {
      seen.push(`${phase} ${update.sessionUpdate} ${textOf(update)}`.trim());
    },
  };
  return { client, seen };
}

describe('B27 updates before the answer to session/new', () => {
  test('reach the session, in order, outside of any turn', async () => {
    const { client, seen } = notingClient();
    const session = await runs.open(faultyAgent('updates-before-session-new-response', { count: 3 }), {
      client,
    });
    expect(seen).toEqual(Array.from({ length: 3 }, () => 'outside available_commands_update'));
    expect(session.state.availableCommands).toEqual([{ name: 'command-2', description: 'early' }]);
    expect((await session.prompt('/echo hi').text()).trim()).toBe('hi');
  });

  test('of sessions that open at the same time each reach their own', async () => {
    const connection = await runs.connect(faultyAgent('updates-before-session-new-response'));
    const strangers: string[] = [];
    connection.on('unrouted-update', (sessionId) => strangers.push(sessionId));
    const config = new AgentStartConfig();
    const sessions = await Promise.all([1, 2, 3].map(() => connection.openSession(config)));
    for (const session of sessions) expect(session.state.availableCommands).toHaveLength(1);
    expect(new Set(sessions.map((session) => session.sessionId)).size).toBe(3);
    expect(strangers).toEqual([]);
  });
});

describe('B29 updates after the answer to a prompt', () => {
  test.each([
    ['in the same chunk', 0],
    ['a moment later', 20],
  ])('%s are delivered outside of the turn, and never to the next one', async (_when, delayMs) => {
    const { client, seen } = notingClient();
    const session = await runs.open(faultyAgent('updates-after-response', { count: 3, delayMs }), { client });
    const first: string[] = [];
    for await (const update of session.prompt('one')) first.push(textOf(update));
    expect(first).toEqual(['in time ']);
    await waitUntil('the late updates', () => seen.length === 4);
    const second = session.prompt('two');
    expect((await second.text()).trim()).toBe('in time');
    await waitUntil('the late updates of the second turn', () => seen.length === 8);
    const ofOneTurn = ['turn', 'outside', 'outside', 'outside'];
    expect(seen.map((line) => line.split(' ')[0])).toEqual([...ofOneTurn, ...ofOneTurn]);
    expect(second.summary.updates).toBe(1);
  });

  test('belong to the turn when it drains for them', async () => {
    const agent = faultyAgent('updates-after-response', { count: 3, delayMs: 20, record: runs.record });
    const session = await runs.open(agent, { drainMs: 1_000 });
    const turn = session.prompt('one');
    const seen: string[] = [];
    turn.on('update', (update) => {
      seen.push(textOf(update));
      // All are here: no reason to wait for the rest of the second.
      if (seen.length === 4) void turn.cancel();
    });
    expect(await turn.result).toEqual({ stopReason: 'end_turn' });
    expect(seen).toEqual(['in time ', 'late 1 ', 'late 2 ', 'late 3 ']);
    await session.close();
    expect(runs.received().map(({ method }) => method)).toEqual([
      'initialize',
      'session/new',
      'session/prompt',
    ]);
  });

  test('that follow the answer to session/load in the same chunk are no replay, and of no turn', async () => {
    const { client, seen } = notingClient();
    const agent = faultyAgent('load-replays-after-response', { store: runs.folder.path });
    const first = await runs.open(agent);
    await first.prompt('/echo one').result;
    await first.connection.close();
    const connection = await runs.connect(agent, { client });
    await connection.loadSession(first.sessionId, new AgentStartConfig());
    expect(seen.map((line) => line.split(' ')[0])).toEqual(['outside', 'outside']);
  });
});

describe('B30 the order', () => {
  const numbers = Array.from({ length: 200 }, (_, index) => `${index} `);

  test('is that of the agent, for iterators, listeners and handlers that take their time', async () => {
    const handled: string[] = [];
    const client: AgentClient = {
      sessionUpdate: async ({ update }) => {
        // Later ones would overtake earlier ones.
        await delay(handled.length % 3 === 0 ? 3 : 0);
        handled.push(textOf(update));
      },
    };
    const session = await runs.open(faultyAgent('burst', { count: 200 }), { client });
    const turn = session.prompt('go');
    const heard: string[] = [];
    turn.on('update', async (update) => {
      heard.push(textOf(update));
      await delay(1);
    });
    const iterated: string[] = [];
    for await (const update of turn) iterated.push(textOf(update));
    expect(iterated).toEqual(numbers);
    expect(heard).toEqual(numbers);
    await waitUntil('the handler', () => handled.length === 200);
    expect(handled).toEqual(numbers);
  });

  test('does not make a permission wait behind a slow handler', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    const session = await runs.open(faultyAgent('asks-many-permissions', { count: 5 }), {
      client: {
        sessionUpdate: () => gate,
        requestPermission: () => {
          asked += 1;
          return { outcome: { outcome: 'selected', optionId: 'yes' } };
        },
      },
    });
    const turn = session.prompt('go');
    expect((await turn.text()).match(/"yes"/g)).toHaveLength(5);
    expect(asked).toBe(5);
    release();
  });
});

describe('B31 kinds of updates', () => {
  test('that nobody knows, and nulls, pass as they came and disturb nothing', async () => {
    const session = await runs.open(faultyAgent('unknown-update-kinds'));
    const turn = session.prompt('/echo still there');
    const kinds: string[] = [];
    for await (const update of turn) kinds.push(update.sessionUpdate);
    expect(kinds.length).toBeGreaterThan(1);
    expect(kinds).toContain('agent_message_chunk');
    expect((await turn.text()).trim()).toContain('still there');
  });

  test('of ACP arrive in order, and what is state is kept as state', async () => {
    const session = await runs.open(faultyAgent('every-update-kind'));
    const turn = session.prompt('go');
    const kinds: string[] = [];
    for await (const update of turn) kinds.push(update.sessionUpdate);
    expect(kinds).toEqual([
      'available_commands_update',
      'session_info_update',
      'user_message_chunk',
      'agent_thought_chunk',
      'plan',
      'tool_call',
      'tool_call_update',
      'current_mode_update',
      'config_option_update',
      'usage_update',
      'agent_message_chunk',
    ]);
    expect(session.state).toMatchObject({
      availableCommands: [{ name: 'plan' }],
      title: 'A turn with everything',
      modes: { currentModeId: 'code' },
      plan: [{ content: 'read' }, { content: 'write' }],
      configOptions: [],
      usage: { used: 1_200, size: 200_000 },
    });
    expect(await turn.text()).toBe('done');
    expect(await turn.toolCalls()).toMatchObject([
      { toolCallId: 'call-1', kind: 'edit', status: 'completed' },
    ]);
  });
});

describe('B22 a replay of history', () => {
  test('while a session is loaded is marked, and belongs to no turn', async () => {
    const agent = faultyAgent('load-replays-history', { store: runs.folder.path });
    const first = await runs.open(agent);
    await first.prompt('remember the number 42').result;
    await first.connection.close();
    const { client, seen } = notingClient();
    const connection = await runs.connect(agent, { client });
    const session = await connection.loadSession(first.sessionId, new AgentStartConfig());
    expect(session.resume).toMatchObject({ status: 'resumed', method: 'session/load' });
    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(seen.filter((line) => !line.startsWith('replay'))).toEqual([]);
    const turn = session.prompt('which number did I mention?');
    expect(await turn.text()).toContain('42');
    expect(turn.textSoFar).not.toContain('remember');
    expect(session.turnCount).toBe(1);
  });

  test('while session/new resumes by its _meta is marked as well', async () => {
    const agent = faultyAgent('meta-resume-replays', { store: runs.folder.path });
    const first = await runs.open(agent);
    await first.prompt('/echo old').result;
    await first.connection.close();
    const { client, seen } = notingClient();
    const session = await runs.open(agent, { client, config: { resumeSessionId: first.sessionId } });
    expect(session.resume.status).toBe('resumed');
    expect(seen.map((line) => line.split(' ')[0])).toEqual(seen.map(() => 'replay'));
    expect(seen.length).toBeGreaterThan(0);
  });
});

test('B33 a turn that ends with nothing says so', async () => {
  const session = await runs.open(faultyAgent('empty-turn'));
  const turn = session.prompt('go');
  expect(await turn.result).toEqual({ stopReason: 'end_turn' });
  expect(turn.summary).toMatchObject({ updates: 0, empty: true, stopReason: 'end_turn' });
});

test.each([
  ['refusal', {}, { stopReason: 'refusal', empty: false }],
  ['empty-turn', { text: 'max_tokens' }, { stopReason: 'max_tokens', empty: true }],
  ['empty-turn', { text: 'bored' }, { stopReason: 'bored', empty: true }],
  ['api-error-as-text', {}, { stopReason: 'end_turn', empty: false }],
] as const)('B33 a turn of %s %j ends as the agent says', async (fault, options, expected) => {
  const session = await runs.open(faultyAgent(fault, options));
  const turn = session.prompt('go');
  expect(await turn.result).toEqual({ stopReason: expected.stopReason });
  expect(turn.summary).toMatchObject(expected);
});

test('an update for a session that is not open here is told by the connection', async () => {
  const session = await runs.open(faultyAgent('chatters-elsewhere', { delayMs: 5 }));
  const told = new Promise((resolve) => session.connection.on('unrouted-update', resolve));
  const turn = session.prompt('go');
  expect(await told).toBe('another-session');
  await turn.cancel();
  expect(turn.summary.updates).toBe(0);
});
