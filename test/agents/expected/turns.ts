import { claude, withModels, type Expectation, type Expectations } from './expectation.ts';

const replaced = (method: string, model: string) =>
  `replaced; resumed by session/${method}; answered 42; old messages received; model ${model}`;
const asked = (refused: string) =>
  `allowed: asked 1, ran, end_turn; refused: asked 1, did not run, ${refused}; no handler: asked 1, did not run, ${refused}`;

const again = 'next prompt answered';

/** Most agents try again for longer than the suite waits; the turn's own deadline ends it then. */
const stillTrying: Expectation = {
  agents: withModels,
  verdict: `timeout at prompt; ${again}`,
  note: 'it tries again for longer than that',
};

/** Cancelled by hand or by a deadline: the idle notice of the old turn ends the next one before it has begun. */
const nextIsEmpty: Expectation = {
  agents: ['zed-claude-agent-acp-0.23'],
  verdict: 'timeout at prompt; next prompt empty, the one after answered',
  note: 'a defect of this adapter: the end of a cancelled turn is taken for the end of the next one',
};

const zedCodexFails: Expectation = {
  agents: ['zed-codex-'],
  verdict: `request-failed at prompt (-32603); ${again}`,
};

export const turnExpectations: Expectations = {
  'launch-and-prompt': [{ agents: withModels, verdict: 'fresh; answered, end_turn; model mock-model' }],
  'model-change': [
    { agents: claude, verdict: replaced('new', 'mock-model-2') },
    { agents: ['codex-', 'qwen-', 'opencode-'], verdict: replaced('resume', 'mock-model-2') },
    {
      agents: ['zed-codex-'],
      verdict: replaced('resume', 'mock-model'),
      note: 'it takes its model from arguments alone, and the suite gives it the same ones again',
    },
    { agents: ['gemini-'], verdict: replaced('load', 'mock-model-2') },
    {
      agents: ['pi-'],
      verdict: 'model-switched; fresh; answered 42; old messages received; model mock-model-2',
      note: 'it offers its models as a config option: no restart',
    },
    {
      agents: ['copilot-'],
      verdict: replaced('load', 'mock-model'),
      note: 'a loaded session keeps the model that it began with, whatever the agent was started with',
    },
  ],
  'system-prompt': [
    { agents: claude, verdict: 'new: ONE; resumed: TWO' },
    {
      agents: ['claude-agent-acp-0.101', 'codex-'],
      verdict: 'new: ONE; resumed: ONE',
      note: 'it advertises the top-level system prompt, and keeps the first one of a session',
    },
    {
      agents: ['zed-codex-', 'gemini-', 'qwen-', 'opencode-', 'pi-', 'copilot-'],
      verdict: 'new: none; resumed: none',
      note: 'it knows neither `_meta.systemPrompt` nor the top-level one',
    },
  ],
  cancel: [
    { agents: withModels, verdict: `cancelled, acknowledged; request ended; ${again}` },
    {
      ...nextIsEmpty,
      verdict: 'cancelled, acknowledged; request ended; next prompt empty, the one after answered',
    },
  ],
  permission: [
    { agents: withModels, verdict: asked('end_turn') },
    { agents: ['codex-', 'zed-codex-'], verdict: asked('cancelled') },
    {
      agents: ['pi-'],
      verdict:
        'allowed: asked 0, ran, end_turn; refused: asked 0, ran, end_turn; no handler: asked 0, ran, end_turn',
      note: 'it never asks',
    },
  ],
  'backend-401': [
    stillTrying,
    nextIsEmpty,
    zedCodexFails,
    { agents: ['gemini-'], verdict: `request-failed at prompt (401); ${again}` },
    { agents: ['qwen-', 'opencode-'], verdict: `request-failed at prompt (-32603); ${again}` },
    { agents: ['pi-'], verdict: `end_turn, empty; ${again}` },
    { agents: ['copilot-'], verdict: `end_turn, with text; ${again}` },
  ],
  'backend-429': [
    stillTrying,
    nextIsEmpty,
    zedCodexFails,
    { agents: ['codex-'], verdict: `end_turn, with text; ${again}` },
  ],
  'backend-500': [stillTrying, nextIsEmpty, zedCodexFails],
  'backend-reset': [
    stillTrying,
    nextIsEmpty,
    zedCodexFails,
    { agents: ['copilot-'], verdict: `end_turn, with text; ${again}` },
  ],
  'backend-stall': [stillTrying, nextIsEmpty],
};
