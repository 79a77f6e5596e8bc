// The least that answers `initialize`: plain Node, JSON lines by hand. The measure for the fixture's start-up.
import process from 'node:process';

let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const { id } = JSON.parse(line);
    const result = { protocolVersion: 1, agentCapabilities: {}, authMethods: [] };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  }
});
