import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { faultyAgent } from '../../../fixtures/index.ts';
import { reportFromNamespace } from '../../helpers/namespace.ts';
import type { HostSignalMode, HostSignalReport } from './scripts/host-signal.ts';

const script = fileURLToPath(new URL('scripts/host-signal.ts', import.meta.url));
const agent = faultyAgent([]).args[0] ?? '';
const run = (mode: HostSignalMode) =>
  reportFromNamespace<HostSignalReport>({ script, args: [agent, mode], timeoutMs: 60_000 });

describe('a signal that ends the host closes what a launcher started as close() does (B45, B48)', () => {
  test('with the graces of its own options', async () => {
    const { end, said, survivors } = await run('an agent that has been given more time than the default');
    expect({ end, said, survivors }).toEqual({ end: 'SIGTERM', said: ['agent: 0'], survivors: [] });
  });

  test('the running turn is cancelled and the session closed first', async () => {
    const { end, said, received, survivors } = await run('an agent in the middle of a turn');
    expect({ end, said, survivors }).toEqual({
      end: 'SIGTERM',
      said: ['turn: closed', 'agent: 0'],
      survivors: [],
    });
    expect(received).toEqual([
      ...['initialize', 'session/new', 'session/prompt'],
      ...['session/cancel', 'session/close'],
    ]);
  });

  test('an agent that answers nothing any more does not hold it up', async () => {
    const { end, said, survivors } = await run('an agent that answers neither a cancel nor the end');
    expect({ end, turn: said[0], survivors }).toEqual({
      end: 'SIGTERM',
      turn: 'turn: closed',
      survivors: [],
    });
  });

  test('a host that goes on launching ends all the same, and nothing is left', async () => {
    const { end, survivors } = await run('a host that launches another agent whenever one ends');
    expect({ end, survivors }).toEqual({ end: 'SIGTERM', survivors: [] });
  });
});
