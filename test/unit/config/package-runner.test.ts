import { expect, test } from 'vitest';
import { agentIdOf, isPackageRunner } from '../../../src/config/package-runner.ts';

test.each<[boolean, string, string[]]>([
  [true, 'npx', ['-y', 'x']],
  [true, '/usr/local/bin/npx', []],
  [true, 'C:\\node\\npx.cmd', []],
  [true, 'npm', ['exec', 'x']],
  [true, 'pnpm', ['dlx', 'x']],
  [true, 'uvx', ['x']],
  [true, 'bun', ['x', 'agent']],
  [false, 'npm', ['start']],
  [false, 'bun', ['agent.ts']],
  [false, 'npm', []],
  [false, 'node', ['npx']],
  [false, 'claude-agent-acp', []],
  [false, 'constructor', []],
])('%s: %s %j', (expected, command, args) => {
  expect(isPackageRunner(command, args)).toBe(expected);
});

test.each<[string, string, string[]]>([
  ['claude-agent-acp', '/opt/bin/claude-agent-acp', ['--flag']],
  ['agent', 'C:\\tools\\agent.CMD', []],
  ['my-agent', 'node', ['--enable-source-maps', 'dist/my-agent.js', 'serve']],
  ['my-agent', '/usr/bin/node', ['/srv/my-agent.mjs']],
  ['my-agent', 'npx', ['-y', '@scope/my-agent@1.2.0']],
  ['my-agent', 'npx', ['my-agent@latest']],
  ['my-agent', 'npm', ['exec', '--', 'my-agent']],
  ['@scope', 'npx', ['@scope']],
  ['my-agent', 'uvx', ['my-agent']],
  ['node', 'node', []],
  ['v1.2', 'v1.2', []],
])('the agent id %s of %s %j', (expected, command, args) => {
  expect(agentIdOf(command, args)).toBe(expected);
});
