import { describe, expect, test } from 'vitest';
import { faultyAgent, type FaultName } from '../../../fixtures/index.ts';
import { agentRuns, failureOf } from '../../helpers/agent-runs.ts';

const runs = agentRuns();

/** An agent that behaves but for its lines: launched, prompted twice, closed; all that was seen of it. */
async function converse(fault: FaultName | readonly FaultName[], options: object = {}) {
  const agent = faultyAgent(fault, { ...options, record: runs.record });
  const session = await runs.launch(agent);
  const noise: { readonly line: string; readonly reason: string }[] = [];
  session.connection.on('noise', (line, reason) => noise.push({ line, reason }));
  const texts = [await session.prompt('/echo 中文 🎉').text(), await session.prompt('again').text()];
  await session.close();
  return { noise, texts: texts.map((text) => text.trim()) };
}

// The prompt of a fault that answers by itself is not echoed.
const answersByItself: readonly FaultName[] = ['split-mid-utf8', 'invalid-utf8'];

describe('B51 an agent that writes', () => {
  test.each<[FaultName, readonly string[]]>([
    ['noise-between-lines', ['blank', 'not-json']],
    ['bom', []],
    ['ansi', []],
    ['crlf', ['blank']],
    ['json-not-jsonrpc', ['not-json-rpc']],
    ['batches', ['batch']],
    ['string-ids', []],
    ['error-null', []],
    ['missing-jsonrpc', []],
    ['responses-to-nobody', ['not-json-rpc', 'unknown-response']],
    ['duplicate-responses', ['unknown-response']],
    ['split-mid-utf8', []],
    ['invalid-utf8', []],
  ])('%s is understood, and never answered for it', async (fault, reasons) => {
    const { noise, texts } = await converse(fault);
    if (!answersByItself.includes(fault)) expect(texts[0]).toBe('中文 🎉');
    expect(texts.every((text) => text.length > 0)).toBe(true);
    expect([...new Set(noise.map(({ reason }) => reason))].sort()).toEqual([...reasons].sort());
    // Only what was asked for was ever written to it.
    expect(runs.received().map(({ method }) => method)).toEqual([
      'initialize',
      'session/new',
      'session/prompt',
      'session/prompt',
    ]);
  });

  test('B54 characters in pieces is read whole', async () => {
    const { texts } = await converse('split-mid-utf8');
    expect(texts.join('')).toMatch(/[\u4e00-\u9fff]/);
    expect(texts.join('')).toMatch(/\p{Emoji_Presentation}/u);
    expect(texts.join('')).not.toContain('\ufffd');
  });

  test('bytes that are no UTF-8 is read as far as it can be', async () => {
    const { texts } = await converse('invalid-utf8');
    expect(texts[0]).toMatch(/ok.*\ufffd.*ok/s);
  });

  test('nothing but text fails the launch at its deadline, with what it said', async () => {
    const seen: string[] = [];
    const launched = runs.launch(faultyAgent('garbage-stdout'), {
      // Long enough to start and to say something, on a busy machine too.
      initializeTimeoutMs: 3_000,
      onWireLine: ({ direction, text }) => seen.push(`${direction} ${text}`),
    });
    expect(await failureOf(launched)).toMatchObject({ code: 'timeout', phase: 'initialize' });
    expect(seen.filter((line) => line.startsWith('received'))).not.toEqual([]);
  });
});

describe('a line of noise', () => {
  test('is told without the secrets in it, and cut', async () => {
    const secret = 'sk-4f9a7c1e-very-secret-value';
    const session = await runs.launch(faultyAgent([], { env: { SERVICE_API_KEY: secret } }));
    const noise: string[] = [];
    session.connection.on('noise', (line) => noise.push(line));
    // The agent sends what it is told to as a notification that is none: an update without a session.
    const padding = 'x'.repeat(1_990);
    await session.prompt(`/notify session/update {"text":"${secret}"}`).result;
    await session.prompt(`/notify session/update {"padding":"${padding.slice(0, 1_915)}${secret}${padding}"}`)
      .result;
    expect(noise).toHaveLength(2);
    // Also not the half of it that stands before the cut.
    expect(noise.join('\n')).not.toContain(secret.slice(0, 4));
    expect(Math.max(...noise.map((line) => line.length))).toBeLessThanOrEqual(2_000);
  });

  test('that a listener can not stand breaks nothing', async () => {
    const session = await runs.launch(faultyAgent('noise-between-lines'));
    session.connection.on('noise', () => {
      throw new Error('my own');
    });
    expect((await session.prompt('/echo on').text()).trim()).toBe('on');
  });
});

test('the log of lines that throws breaks nothing', async () => {
  const session = await runs.launch(faultyAgent([]), {
    onWireLine: () => {
      throw new Error('disk full');
    },
  });
  expect((await session.prompt('/echo on').text()).trim()).toBe('on');
});

test('what an agent says on its way out is no error', async () => {
  const session = await runs.launch(faultyAgent('talks-on-the-way-out'));
  await session.prompt('/echo hi').result;
  await session.close();
});
