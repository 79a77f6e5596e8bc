import { claude, silentClaude, type Expectation, type Expectations } from './expectation.ts';

const remembered = (method: string) => `resumed by session/${method}; answered 42; old messages received`;
const forgotten = 'did not know the number; no old messages received';
const fellBack = (why: string) => `fell-back: missing by ${why}; answered`;

const ignoredThenResumed = (method: string) =>
  `ignored (offers session/${method}); ${forgotten}; told: ignored; the old id is kept: ${remembered(method)}`;

const byResume = ['codex-', 'zed-codex-', 'qwen-', 'opencode-'];
const byLoad = ['gemini-', 'pi-', 'copilot-'];

/** By the preset's own way: the hint for Claude Code, which alone knows it, the native methods for the others. */
const resumedByPreset: readonly Expectation[] = [
  { agents: claude, verdict: remembered('new') },
  { agents: byResume, verdict: remembered('resume') },
  { agents: byLoad, verdict: remembered('load') },
];

const secondAttempt = 'resumed by session/new, attempt 2; answered 42; old messages received';

/** How each says that it has no such session. */
const missing: readonly Expectation[] = [
  { agents: claude, verdict: fellBack('code (-32002)') },
  {
    agents: silentClaude,
    verdict: fellBack('stderr'),
    note: 'session/new is never answered; the inner process says it on stderr',
  },
  {
    agents: ['claude-code-acp-0.16'],
    verdict: fellBack('session-list (-32603)'),
    note: '"Query closed before response received" alone proves nothing: session/list on the same process does not show the id',
  },
  { agents: ['codex-'], verdict: fellBack('data (-32603)') },
  { agents: ['zed-codex-'], verdict: fellBack('code (-32002)') },
  { agents: ['gemini-'], verdict: fellBack('data (-32603)') },
  { agents: ['qwen-'], verdict: fellBack('code (-32002)') },
  {
    agents: ['opencode-'],
    verdict: fellBack('session-list (-32603)'),
    note: 'it says "OpenCode service failure" to everything',
  },
  { agents: ['pi-'], verdict: fellBack('data (-32602)') },
  { agents: ['copilot-'], verdict: fellBack('message (-32002)') },
];

export const resumeExpectations: Expectations = {
  '42': resumedByPreset,
  'second-resume': [
    ...resumedByPreset,
    {
      agents: ['gemini-'],
      verdict: `fell-back: missing by data (-32603); ${forgotten}`,
      note: 'a defect of this agent: what it loaded once it deletes at its next start, see above',
    },
  ],
  'second-resume-kept': [{ agents: ['gemini-'], verdict: remembered('load') }],
  '42-launch': [
    { agents: claude, verdict: remembered('new') },
    { agents: byResume, verdict: `ignored (offers session/resume); ${forgotten}` },
    { agents: byLoad, verdict: `ignored (offers session/load); ${forgotten}` },
  ],
  '42-native': [
    { agents: [...claude, ...byResume], verdict: remembered('resume') },
    { agents: byLoad, verdict: remembered('load') },
  ],
  '42-hint': [
    { agents: byResume, verdict: ignoredThenResumed('resume') },
    { agents: byLoad, verdict: ignoredThenResumed('load') },
  ],
  'unknown-id': missing,
  'malformed-id': [
    ...missing,
    {
      agents: ['claude-agent-acp-'],
      verdict: fellBack('data (-32603)'),
      note: '"--resume requires a valid session ID"',
    },
  ],
  'never-prompted': [
    ...missing,
    { agents: ['opencode-1'], verdict: 'resumed by session/resume; answered' },
    { agents: ['pi-acp'], verdict: 'resumed by session/load; answered' },
  ],
  'other-directory': [
    { agents: claude, verdict: `fell-back: missing by code (-32002); ${forgotten}` },
    { agents: silentClaude, verdict: `fell-back: missing by stderr; ${forgotten}` },
    {
      agents: ['claude-code-acp-0.16'],
      verdict: `fell-back: missing by session-list (-32603); ${forgotten}`,
    },
    {
      agents: ['claude-agent-acp-0.101'],
      verdict: remembered('new'),
      note: 'it finds sessions of other directories',
    },
    { agents: ['codex-', 'zed-codex-', 'opencode-'], verdict: remembered('resume') },
    { agents: ['pi-', 'copilot-'], verdict: remembered('load') },
    { agents: ['gemini-'], verdict: `fell-back: missing by data (-32603); ${forgotten}` },
    { agents: ['qwen-'], verdict: `fell-back: missing by code (-32002); ${forgotten}` },
  ],
  'empty-transcript': [
    { agents: claude, verdict: `fell-back: missing by code (-32002); ${forgotten}; then reused, answered` },
    {
      agents: silentClaude,
      verdict: `fell-back: missing by stderr; ${forgotten}; then reused, answered`,
      note: '0.12 answers the resume and fails at the prompt; the line on stderr is there before its answer',
    },
    {
      agents: ['claude-code-acp-0.16'],
      verdict: `fell-back: missing by session-list (-32603); ${forgotten}; then reused, answered`,
    },
  ],
  'transient-crash': [
    { agents: claude, verdict: secondAttempt },
    {
      agents: silentClaude,
      verdict: [secondAttempt, `resume-failed: timeout; asked again: ${remembered('new')}`],
      note: 'it dies of an EPIPE of its own, or never answers, as its writes fall; then the deadline ends it, and nothing is lost',
    },
  ],
  'broken-inner': [
    {
      agents: claude,
      verdict: [
        `request-failed at session (-32603) with the resume's; repaired: ${remembered('new')}`,
        `agent-exited at session with the resume's; repaired: ${remembered('new')}`,
      ],
      note: 'some versions die of an EPIPE of their own, depending on which write comes first',
    },
    {
      agents: silentClaude,
      verdict: [
        `agent-exited at session with the resume's; repaired: ${remembered('new')}`,
        `timeout at session with the resume's; repaired: ${remembered('new')}`,
        `resume-failed: timeout; repaired: ${remembered('new')}`,
      ],
      note: 'it dies of an EPIPE of its own, or never answers, as its writes fall; a deadline that passed proves nothing, so there is no fresh session',
    },
  ],
  'fallback-time': [
    {
      agents: [...claude, ...byResume, ...byLoad],
      verdict: 'under 1.9 times a launch; ahead of a new process',
    },
  ],
};
