import { describe, expect, test } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import type { AgentSession } from '../../../src/agent-session.ts';
import { agentRuns, failureOf } from '../../helpers/agent-runs.ts';

const runs = agentRuns();

/** A value as a caller without types may pass it. */
const wrong = (value: unknown) => value as never;
const sentMethods = () => runs.received().map(({ method }) => method);

describe('a mode', () => {
  test('is set with the agent, and then is the current one', async () => {
    const session = await runs.open(faultyAgent('offers-modes'));
    const changes: unknown[] = [];
    session.on('setting', (change) => changes.push(change));
    await session.setMode('code');
    expect(session.state.modes?.currentModeId).toBe('code');
    expect((await session.prompt('/mode').text()).trim()).toBe('mode: code');
    expect(changes).toEqual([{ modeId: 'code' }]);
  });

  test('that the agent switches by itself is the current one', async () => {
    const session = await runs.open(faultyAgent('offers-modes'));
    await session.prompt('/switch code').result;
    expect(session.state.modes?.currentModeId).toBe('code');
  });

  test('that is being set can be given up', async () => {
    const session = await runs.open(faultyAgent(['offers-modes', 'hangs-at'], { at: 'session/set_mode' }));
    const controller = new AbortController();
    const setting = session.setMode('code', { signal: controller.signal });
    controller.abort();
    expect(await failureOf(setting)).toMatchObject({ code: 'aborted' });
    expect(session.state.modes?.currentModeId).toBe('ask');
  });
});

describe('a config option', () => {
  test('is set with the agent, and its answer is the state', async () => {
    const session = await runs.open(faultyAgent('model-config-option'));
    await session.setConfigOption('model', 'model-b');
    expect(session.state.configOptions).toMatchObject([{ id: 'model', currentValue: 'model-b' }]);
    expect((await session.prompt('/model').text()).trim()).toBe('model: model-b');
  });

  test('says what it is when it is true or false', async () => {
    const agent = faultyAgent('model-config-option', { record: runs.record });
    const session = await runs.open(agent);
    expect(await failureOf(session.setConfigOption('model', true))).toMatchObject({ code: 'request-failed' });
    expect(runs.received('session/set_config_option')[0]?.params).toMatchObject({
      type: 'boolean',
      value: true,
    });
    expect(session.state.configOptions).toMatchObject([{ currentValue: 'model-a' }]);
  });
});

describe('nothing is sent', () => {
  const calls: readonly (readonly [string, string, (session: AgentSession) => Promise<void>])[] = [
    ['capability-missing', '', (session) => session.setMode('unknown')],
    ['capability-missing', '', (session) => session.setConfigOption('unknown', 'a')],
    ['invalid-config', 'modeId', (session) => session.setMode(wrong({}))],
    ['invalid-config', 'configId', (session) => session.setConfigOption(wrong(undefined), 'a')],
    ['invalid-config', 'value', (session) => session.setConfigOption('model', wrong(7))],
    ['invalid-config', 'options.signal', (session) => session.setMode('code', wrong({ signal: 7 }))],
    ['invalid-config', 'options', (session) => session.setMode('code', wrong(null))],
  ];

  test('for what is wrong or not offered', async () => {
    const session = await runs.open(faultyAgent('offers-modes', { record: runs.record }));
    for (const [code, field, call] of calls) {
      const { code: found, facts } = await failureOf(call(session));
      expect([found, facts.field ?? '']).toEqual([code, field]);
    }
    expect(sentMethods()).toEqual(['initialize', 'session/new']);
  });

  test('for a session that was closed, whose agent lives', async () => {
    const session = await runs.open(faultyAgent('offers-modes', { record: runs.record }));
    await session.closeSession();
    expect(await failureOf(session.setMode('code'))).toMatchObject({ code: 'closed' });
    expect(sentMethods()).toEqual(['initialize', 'session/new']);
  });
});

describe('the options of a prompt', () => {
  test.each<[unknown, string]>([
    [null, 'options'],
    [{ signal: {} }, 'options.signal'],
    [{ requestId: 7 }, 'options.requestId'],
    [{ meta: 'text' }, 'options.meta'],
    [{ meta: [1] }, 'options.meta'],
    [{ promptTimeoutMs: '5' }, 'options.promptTimeoutMs'],
    [{ requestID: 'a typing error' }, 'options.requestID'],
  ])('%j are refused by the turn', async (options, field) => {
    const session = await runs.open(faultyAgent([]));
    const error = await failureOf(session.prompt('go', wrong(options)).result);
    expect([error.code, error.facts.field]).toEqual(['invalid-config', field]);
  });

  test('whose reading throws are no exception of prompt', async () => {
    const session = await runs.open(faultyAgent([]));
    const meta = {
      get value() {
        throw new Error('mine');
      },
    };
    await expect(session.prompt('go', { meta }).result).rejects.toThrow('mine');
    expect((await session.prompt('/echo on').text()).trim()).toBe('on');
  });
});
