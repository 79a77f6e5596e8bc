import { randomBytes } from 'node:crypto';
import { createRedactor } from '../../src/errors/create-redactor.ts';
import type { Secret } from '../../src/errors/redactor.ts';
import { secretVariants } from '../../src/errors/secret-variants.ts';

export const name = 'redaction';

const chunkLength = 64 * 1024;
const rounds = 7;

/** Far more than any agent writes to stderr, and the price of also finding what nobody told us about. */
const goal = 4;

/** Hiding a dozen secrets in traffic, against one `replaceAll` for each of their spellings; in CPU time. */
export function run(): Promise<{ name: string; ratio: number; goal?: number; detail: string }[]> {
  const secrets = Array.from({ length: 12 }, (_, index): Secret => {
    const value = randomBytes(24).toString(index % 2 === 0 ? 'hex' : 'base64');
    return { value, name: `KEY_${index}`, origin: 'explicit' };
  });
  // Each as it is: the other spellings of a character have no counterpart in `replaceAll`.
  const anywhere = secretVariants(secrets).anywhere.map((text) => text.map((one) => one.at(-1)).join(''));
  const redactor = createRedactor(secrets);
  const text = traffic(secrets);
  const megabytes = text.length / 2 ** 20;

  const baseline = fastest(() =>
    anywhere.reduce((shown, variant) => shown.replaceAll(variant, '[redacted]'), text),
  );
  const whole = fastest(() => redactor.redact(text));
  const streamed = fastest(() => {
    const stream = redactor.stream();
    for (let at = 0; at < text.length; at += chunkLength) stream.push(text.slice(at, at + chunkLength));
    stream.flush();
  });
  const perMegabyte = (ms: number) => `${(ms / megabytes).toFixed(1)} ms/MB`;
  const against = `replaceAll of ${anywhere.length} variants ${perMegabyte(baseline)}`;
  return Promise.resolve([
    { name: 'redact a text', ratio: whole / baseline, goal, detail: `${perMegabyte(whole)}; ${against}` },
    {
      name: 'redact a stream',
      ratio: streamed / baseline,
      goal,
      detail: `${perMegabyte(streamed)}; ${against}`,
    },
  ]);
}

function fastest(work: () => unknown): number {
  const times = Array.from({ length: rounds }, () => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

/** About 2 MB of updates and log lines, a secret in one of a hundred. */
function traffic(secrets: readonly Secret[]): string {
  const lines = Array.from({ length: 9_000 }, (_, index) => {
    const secret = index % 100 === 0 ? (secrets[index % secrets.length]?.value ?? '') : 'nothing to hide';
    return index % 3 === 0
      ? `[${index}] agent: reading src/file-${index}.ts with token budget 4096, ${secret}`
      : JSON.stringify({
          jsonrpc: '2.0',
          method: 'session/update',
          params: {
            sessionId: '0198a7c2-5b1e-7c4f-9d2a-3f6e8b1c2d4e',
            update: {
              sessionUpdate: 'agent_message_chunk',
              content: {
                type: 'text',
                text: `Some **text** with a key: value, see https://example.test/${index}. ${secret}`,
              },
            },
          },
        });
  });
  return lines.join('\n');
}
