import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeAgent, settle } from './fake-agent.ts';

// What an agent may write, mutated and cut anywhere, through the whole wire: it never throws, never prints, answers
// nothing that was not asked, and reads the same messages whatever the chunks.

const text = fc.oneof(fc.string(), fc.constantFrom('中文', '🎉', '\u2028', '"\\', '\u0000', '\ufeff', '{}'));
const message = fc.oneof(
  fc.record({ kind: fc.constant('update' as const), text }),
  fc.record({ kind: fc.constant('notification' as const), text }),
  fc.record({ kind: fc.constant('request' as const), text, id: fc.oneof(fc.nat(99), fc.string()) }),
  fc.record({ kind: fc.constant('response' as const), id: fc.constantFrom<unknown>(0, 1, 2, '1', 99, null) }),
  fc.record({
    kind: fc.constant('failure' as const),
    id: fc.constantFrom<unknown>(0, 1, 2),
    error: fc.jsonValue(),
  }),
);
type TranscriptMessage = typeof message extends fc.Arbitrary<infer Value> ? Value : never;

function toJson(item: TranscriptMessage): Record<string, unknown> {
  const jsonrpc = '2.0';
  switch (item.kind) {
    case 'update': {
      const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: item.text } };
      return { jsonrpc, method: 'session/update', params: { sessionId: 's', update } };
    }
    case 'notification':
      return { jsonrpc, method: 'vendor/told', params: { text: item.text } };
    case 'request':
      return { jsonrpc, id: item.id, method: 'vendor/asked', params: { text: item.text } };
    case 'response':
      return { jsonrpc, id: item.id, result: { answers: item.id } };
    case 'failure':
      return { jsonrpc, id: item.id, error: item.error };
  }
}

/** What agents, shells and terminals put around a line, and what changes nothing of its meaning. */
const decoration = fc.constantFrom<(line: string) => string>(
  (line) => line,
  (line) => `${line}\r`,
  (line) => `\ufeff${line}`,
  (line) => `\u001b[32m${line}\u001b[0m`,
  (line) => ` \t${line} `,
  (line) => `\u001b]0;title\u0007${line}`,
  (line) => line.replace('"jsonrpc":"2.0",', ''),
);
/** Whole lines between the messages that are none. */
const noise = fc.constantFrom(
  '',
  '\r',
  'Listening',
  '[tool] done',
  '[]',
  '42',
  '{"level":"info"}',
  '{',
  '\u001b[2K',
);

/** Cuts bytes at random places. */
const cuts = fc.array(fc.nat(), { maxLength: 40 });
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...places].map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...sorted].map((from, index) => bytes.subarray(from, sorted[index] ?? bytes.length));
}

/** All that a client sees and does of these bytes. */
async function run(bytes: Buffer, places: readonly number[]) {
  const agent: FakeAgent = new FakeAgent({
    client: {
      extMethod: (_method, params) => {
        agent.log.push(`asked ${JSON.stringify(params)}`);
        return {};
      },
      extNotification: (_method, params) => agent.log.push(`told ${JSON.stringify(params)}`),
    },
    maxLineBytes: 10_000,
  });
  const outcomes: string[] = [];
  for (const [index, method] of ['first', 'second', 'third'].entries()) {
    agent.wire.request({ phase: 'session', method, params: {}, timeoutMs: 0 }).then(
      (result) => outcomes.push(`${index} ${JSON.stringify(result)}`),
      (error: unknown) => outcomes.push(`${index} ${String(error)}`),
    );
  }
  await agent.read();
  for (const chunk of cut(bytes, places)) agent.stdout.write(chunk);
  await settle();
  const pending = outcomes.length;
  agent.wire.close();
  await settle();
  const written = await agent.read();
  return {
    // Answers arrive a moment later than what needs no SDK, so that the two are compared one by one.
    log: agent.log.filter((line) => !/^(?:asked|told|open) /.test(line)),
    served: agent.log.filter((line) => /^(?:asked|told) /.test(line)),
    outcomes: outcomes.slice(0, pending),
    written,
  };
}

const consoleMethods = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const;
let printed: unknown[];

beforeEach(() => {
  printed = [];
  for (const name of consoleMethods) {
    vi.spyOn(console, name).mockImplementation((...values: unknown[]) => void printed.push(values));
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(printed).toEqual([]);
});

test('B51 B54 the same messages arrive whatever surrounds them and wherever the chunks end', async () => {
  const line = fc.tuple(message, decoration, fc.array(noise, { maxLength: 2 }));
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 12 }), cuts, async (lines, places) => {
      const plain = lines.map(([item]) => JSON.stringify(toJson(item)));
      const decorated = lines.flatMap(([item, decorate, before]) => [
        ...before,
        decorate(JSON.stringify(toJson(item))),
      ]);
      const bytesOf = (all: readonly string[]) => Buffer.from(all.map((entry) => `${entry}\n`).join(''));
      const expected = await run(bytesOf(plain), []);
      const actual = await run(bytesOf(decorated), places);
      const withoutNoise = (log: readonly string[]) => log.filter((entry) => !entry.startsWith('noise'));
      expect(withoutNoise(actual.log)).toEqual(withoutNoise(expected.log));
      expect(actual.served).toEqual(expected.served);
      expect(actual.outcomes).toEqual(expected.outcomes);
      expect(actual.written).toEqual(expected.written);
    }),
    { numRuns: 150 },
  );
});

test('B51 B58 any bytes at all are survived, and read the same wherever the chunks end', async () => {
  const mutation = fc.tuple(fc.nat(), fc.constantFrom('flip', 'drop', 'insert', 'repeat'), fc.nat(255));
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .tuple(fc.array(message, { maxLength: 8 }), fc.array(mutation, { maxLength: 8 }))
      .map(([items, mutations]) => {
        let bytes = Buffer.from(items.map((item) => `${JSON.stringify(toJson(item))}\n`).join(''));
        for (const [place, kind, value] of mutations) {
          const at = bytes.length === 0 ? 0 : place % bytes.length;
          const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
          const middle =
            kind === 'insert'
              ? Buffer.from([value])
              : kind === 'repeat'
                ? after.subarray(0, value)
                : Buffer.alloc(0);
          bytes = Buffer.concat([before, middle, kind === 'drop' ? after.subarray(value) : after]);
          if (kind === 'flip' && at < bytes.length) bytes[at]! ^= value;
        }
        return bytes;
      }),
    fc
      .array(fc.jsonValue(), { maxLength: 5 })
      .map((values) => Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))),
    fc.nat(30_000).map((length) => Buffer.alloc(length, '{"a":')),
  );
  await fc.assert(
    fc.asyncProperty(garbage, cuts, async (bytes, places) => {
      const [whole, inPieces] = [await run(Buffer.from(bytes), []), await run(Buffer.from(bytes), places)];
      expect(inPieces).toEqual(whole);
      // Nothing is ever written but answers to what the agent asked.
      for (const answer of whole.written) expect(answer).not.toHaveProperty('method');
      expect(whole.written.length).toBeLessThanOrEqual(bytes.length / 20 + 1);
    }),
    { numRuns: 300 },
  );
});
