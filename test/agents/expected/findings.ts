/** What the runs have shown about an agent, and earlier measurements of it did not have. */
export interface Finding {
  readonly agents: string;
  readonly found: string;
  /** What this library, or who uses it, makes of it. */
  readonly so: string;
}

export const findings: readonly Finding[] = [
  {
    agents: 'Claude, before 0.31',
    found:
      'passes over `ANTHROPIC_MODEL`; every version asks a smaller model of its own choice for titles and the like',
    so: "the preset sets the provider's model under all three `ANTHROPIC_DEFAULT_…_MODEL` names",
  },
  {
    agents: 'Claude 0.50 and later',
    found: 'asks for Node 22; 0.49.0 is the last that npx can run on Node 20',
    so: 'the preset chooses the package by the Node that npx would run on; 0.49.0 is one of the agents here',
  },
  {
    agents: 'Claude 0.101.0',
    found:
      'starts in a mode that decides on permissions by itself, and hides MCP tools from the model until it has searched for them',
    so: 'who wants to be asked sets `permissions.defaultMode`, or the mode; `ENABLE_TOOL_SEARCH=false` shows all tools at once',
  },
  {
    agents: 'Claude 0.23.1',
    found:
      'takes the end of a turn that was cancelled for the end of the next one, which is empty then; the one after it works',
    so: 'it is left as it is: a prompt is never sent twice on suspicion',
  },
  {
    agents: 'Claude 0.23.1',
    found: 'follows the end of stdin once its session was closed by `session/close`, and not before',
    so: 'closing in order needs no signal there; older versions have no `session/close`, and end by SIGTERM',
  },
  {
    agents: 'Claude 0.16.2',
    found:
      'with a broken inner executable it answers an error, or dies of an EPIPE of its own in `session/new`, as the writes fall',
    so: 'either way the error is thrown with the one of the resume, and the pointer is kept',
  },
  {
    agents: 'Claude 0.12.6',
    found:
      'with an inner process that ends for any other reason than a missing session it dies of an EPIPE of its own, or never answers `session/new`',
    so: 'the deadline of the session ends it: an error, no fallback, and the pointer is kept',
  },
  {
    agents: 'codex, both',
    found:
      'answers `-32000` to `session/new` where no provider is configured (it was thought to ask never), and ends a turn as `cancelled` when a permission is refused',
    so: '`auth-required`; and a `cancelled` turn that nobody cancelled is the answer to a refusal there',
  },
  {
    agents: 'codex-acp 2.6.0',
    found: 'its inner server outlives the rungs of the shutdown, idle as well, and is killed by the last one',
    so: 'nothing is lost by that: the 42 story ends in a SIGKILL',
  },
  {
    agents: 'zed codex-acp 0.16.0',
    found: 'does not know `CODEX_CONFIG`: a provider of your own reaches it by `-c` arguments alone',
    so: 'the preset serves its successor; for this one give `args`',
  },
  {
    agents: 'copilot',
    found: 'says nothing about MCP servers of type stdio, and does not start them; it takes http ones',
    so: 'give it http servers',
  },
  {
    agents: 'copilot',
    found: 'a loaded session keeps the model that it was begun with, whatever `COPILOT_MODEL` says',
    so: 'a change of the model takes hold with the next new session',
  },
  {
    agents: 'gemini-cli 0.61.0',
    found:
      '**loses a conversation that was loaded once**: `session/load` leaves an empty file beside the transcript, and the clean-up at the next start takes it for a broken one and deletes both',
    so: 'set `general.sessionRetention.enabled` to `false` in its `settings.json`; without it the second resume is a visible fallback',
  },
  {
    agents: 'pi',
    found: 'never asks for permission, has no MCP, and offers its models as a config option',
    so: 'a change of the model needs no restart there',
  },
];
