/** Where in an agent's life an error arose. */
export type Phase = 'config' | 'spawn' | 'initialize' | 'authenticate' | 'session' | 'prompt' | 'shutdown';

interface CodeEntry {
  /** What it means, in one line; the README's table repeats it and a test compares the two. */
  readonly meaning: string;
  /** Whether the same call may well succeed when it is made again. */
  readonly retryable: boolean;
}

/** Every code that an {@link AcpLauncherError} can carry. Codes are never renamed; new ones may be added. */
export const errorCodes = {
  'invalid-config': {
    meaning: 'A value given to the library is not valid; `field` names it.',
    retryable: false,
  },
  'cwd-missing': { meaning: 'The working directory does not exist or is not a directory.', retryable: false },
  'command-missing': {
    meaning: 'The command was not found on the PATH that the agent would get.',
    retryable: false,
  },
  'command-not-executable': {
    meaning: 'The command exists but may not be run, or is a directory.',
    retryable: false,
  },
  'interpreter-missing': {
    meaning: "The interpreter named in the command's `#!` line does not exist.",
    retryable: false,
  },
  'spawn-failed': { meaning: 'The operating system refused to start the process.', retryable: true },
  'agent-exited': {
    meaning: 'The agent process ended, or closed its stdout, while it was needed.',
    retryable: true,
  },
  'line-too-long': {
    meaning: 'A line from the agent passed `maxLineBytes`; the agent was stopped.',
    retryable: false,
  },
  timeout: { meaning: 'A deadline passed; `phase` and `timeoutMs` say which.', retryable: true },
  aborted: {
    meaning: "The caller's signal was aborted, or its prompt was cancelled before it was sent.",
    retryable: false,
  },
  'protocol-version': {
    meaning: 'The agent selected a protocol version that this library does not speak.',
    retryable: false,
  },
  'invalid-response': {
    meaning: 'The agent answered something that the protocol does not allow.',
    retryable: false,
  },
  'auth-required': {
    meaning: 'The agent wants authentication; `authMethods` lists what it offers.',
    retryable: false,
  },
  'request-failed': {
    meaning: 'The agent answered a request with an error; `rpc` holds it.',
    retryable: false,
  },
  'resume-failed': {
    meaning: 'The session could not be resumed and no fallback was allowed.',
    retryable: false,
  },
  'session-conflict': {
    meaning: 'The session asked for is open already, or belongs to another project or directory.',
    retryable: false,
  },
  'session-busy': {
    meaning: 'The project is in the middle of a turn, and the call would have ended it.',
    retryable: true,
  },
  'capability-missing': {
    meaning: 'The agent does not advertise what the call needs; nothing was sent.',
    retryable: false,
  },
  'unsupported-content': {
    meaning: 'A prompt block is of a kind that the agent does not accept; `field` names it.',
    retryable: false,
  },
  'queue-full': { meaning: 'Too many prompts are waiting for this session.', retryable: true },
  'turn-overflow': {
    meaning:
      'Updates of a turn piled up unread beyond the hard limit, or while their reader waits for that turn to end.',
    retryable: false,
  },
  'turn-consumed': {
    meaning: 'The updates of a turn can be iterated once, from its start.',
    retryable: false,
  },
  'too-many-agents': { meaning: 'The limit of live agents is reached and none is idle.', retryable: true },
  'crash-budget': {
    meaning: 'The agent crashed too often within the time window; it may be started again later.',
    retryable: true,
  },
  'store-failed': {
    meaning: 'The session store failed or did not answer; no conversation was dropped.',
    retryable: true,
  },
  closed: {
    meaning: 'The session, agent or manager was closed before or during the call.',
    retryable: false,
  },
  'shutdown-incomplete': {
    meaning: 'Processes survived every signal; `survivors` lists them.',
    retryable: true,
  },
} as const satisfies Record<string, CodeEntry>;

/** The stable identifier of what went wrong; match on this, never on a message. */
export type ErrorCode = keyof typeof errorCodes;
