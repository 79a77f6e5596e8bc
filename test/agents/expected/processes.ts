import { claude, withModels, type Expectations } from './expectation.ts';

const inOrder = ['ended in order; 0 left'];
const busyInOrder = ['turn closed at shutdown; ended in order; 0 left'];
const killed = ['killed; 0 left'];
const busyKilled = ['turn closed at shutdown; killed; 0 left'];

const slowCodex = {
  agents: ['codex-'],
  note: 'its inner server needs 1 to 5 s after SIGTERM, longer than the launcher waits; what it had written survives',
};

export const processExpectations: Expectations = {
  'mcp-used': [
    { agents: withModels, verdict: 'the tool answered' },
    {
      agents: ['pi-'],
      verdict: 'the tool was not called',
      note: 'pi has no MCP: the adapter takes the servers and does nothing with them',
    },
    {
      agents: ['copilot-'],
      verdict: 'the tool answered',
      note: 'over http: it passes over stdio servers, and says so in a log file only',
    },
  ],
  'mcp-dead': [{ agents: withModels, verdict: 'opened; prompt answered' }],
  'no-credentials': [
    {
      agents: claude,
      verdict: 'prompt: request-failed at prompt (-32000)',
      note: 'it asks for a login at the first prompt',
    },
    {
      agents: ['codex-', 'zed-codex-'],
      verdict: 'launch: auth-required at session (-32000)',
      note: 'not seen before: with a provider in its configuration file it never asks, key or not',
    },
    {
      agents: ['opencode-'],
      verdict: 'prompt: request-failed at prompt (-32603)',
      note: 'it falls back to models of its own, which it cannot reach here',
    },
    {
      agents: ['gemini-', 'qwen-', 'pi-', 'copilot-', 'cline-', 'auggie-'],
      verdict: 'launch: auth-required at session (-32000)',
    },
  ],
  'close-idle': [
    { agents: withModels, verdict: inOrder },
    { ...slowCodex, verdict: [...killed, ...inOrder] },
  ],
  'close-busy': [
    { agents: withModels, verdict: busyInOrder },
    { ...slowCodex, verdict: [...busyKilled, ...busyInOrder] },
  ],
  'kill-busy': [
    { agents: withModels, verdict: 'turn agent-exited at prompt; 0 left' },
    {
      agents: ['qwen-'],
      verdict: ['turn agent-exited at prompt; 0 left', 'turn cancelled; 0 left'],
      note: 'what is killed is a wrapper: the process behind it may still answer `cancelled` on the same pipe before it goes as well',
    },
  ],
};
