// Launches the agent a few times, by the library (imported before) or by hand, and prints how long each took, in
// milliseconds. Arguments: how, the built library, the agent.
import { performance } from 'node:perf_hooks';
import process from 'node:process';

const [, , how, library, agent] = process.argv;
const launches = 6;

async function launchByHand() {
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [agent], { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  let rest = '';
  let answered = () => undefined;
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) answered(JSON.parse(line));
  });
  const ask = (id, method, params) =>
    new Promise((resolve) => {
      answered = resolve;
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  await ask(0, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
  await ask(1, 'session/new', { cwd: process.cwd(), mcpServers: [] });
  return () => {
    child.stdin.end();
    return new Promise((resolve) => child.once('exit', resolve));
  };
}

async function launchByLibrary() {
  const { AgentLauncher } = await import(library);
  const launcher = new AgentLauncher({ command: process.execPath, args: [agent] });
  const session = await launcher.launch('bench', process.cwd(), undefined, {}, {});
  return () => session.close();
}

if (how === 'library') await import(library);
const times = [];
for (let index = 0; index < launches; index += 1) {
  const start = performance.now();
  const close = await (how === 'library' ? launchByLibrary() : launchByHand());
  times.push(performance.now() - start);
  await close();
}
process.stdout.write(JSON.stringify(times));
