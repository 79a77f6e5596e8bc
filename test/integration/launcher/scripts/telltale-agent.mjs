// An agent that tells its secrets. Usage: telltale-agent.mjs WHERE: the place and the way, as in secrets.test.ts.
import { Buffer } from 'node:buffer';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { URLSearchParams } from 'node:url';

const [place, way] = (process.argv[2] ?? '').split(' ');
let secrets = ['ANTHROPIC_API_KEY', 'SERVICE_TOKEN', 'HTTPS_PROXY'].map((name) => process.env[name] ?? '');

/** Every secret, in the spellings in which programs print them. */
function tell() {
  const texts = secrets.flatMap((secret) => [
    secret,
    JSON.stringify({ secret }),
    JSON.stringify(JSON.stringify({ secret })),
    encodeURIComponent(secret),
    new URLSearchParams({ secret }).toString(),
    Buffer.from(secret).toString('base64'),
    Buffer.from(`user:${secret}`).toString('base64'),
  ]);
  return texts.join(' | ');
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** Byte by byte, so that every secret is in pieces. */
async function print(stream, text) {
  for (const byte of Buffer.from(text)) await new Promise((done) => stream.write(Buffer.of(byte), done));
}

const answers = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, resume: {} } },
    authMethods: way === 'auth' ? [{ id: tell(), name: 'a' }] : [],
  }),
  'session/new': () => ({ sessionId: 'session-1' }),
  'session/list': () => ({ sessions: [] }),
  'session/prompt': () => ({ stopReason: 'end_turn' }),
};

const error = (code, message, data) => ({ error: { code, message, data } });
/** What is answered instead: nothing where the honest answer is to follow, an empty object where none is. */
const ways = {
  result: () => ({
    result: { tell: tell(), protocolVersion: tell(), stopReason: [tell()], sessions: tell() },
  }),
  error: () => error(-32603, tell(), { [tell()]: tell(), list: [{ a: tell() }] }),
  details: () => error(-32603, 'Internal error', { details: tell() }),
  text: () => ({ error: tell() }),
  auth: () => error(-32000, tell()),
  missing: () => error(-32002, `No conversation found: ${tell()}`),
  async exit() {
    await print(process.stderr, `about to end ${tell()}\n${tell()}`);
    process.exit(1);
  },
  async hang() {
    await print(process.stderr, `waiting ${tell()}\n`);
    return {};
  },
  async noise() {
    await print(process.stdout, `${tell()}\n`);
    await print(process.stderr, `${tell()}\n`);
  },
  'long-line'() {
    process.stdout.write(`${tell()}${' '.repeat(300_000)}${tell()}`);
    return {};
  },
};

createInterface(process.stdin).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'session/new') {
    const variables = params.mcpServers.flatMap((server) => [
      ...(server.env ?? []),
      ...(server.headers ?? []),
    ]);
    const inherited = [process.env.PATH, process.env.HOME, '4417'];
    const values = variables.map(({ value }) => value);
    secrets = [...secrets, ...values.filter((value) => !inherited.includes(value))];
  }
  if (id === undefined) return;
  const told = place === method ? await ways[way]() : undefined;
  if (told === undefined) send({ id, result: answers[method]?.() ?? null });
  else if (Object.keys(told).length > 0) send({ id, ...told });
});
