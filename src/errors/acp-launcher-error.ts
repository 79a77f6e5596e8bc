import { errorCodes, type ErrorCode, type Phase } from './error-codes.ts';

/** The error that the agent itself sent. */
export interface RpcErrorFacts {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What a person needs to know about a failure; everything is optional but the phase. */
export interface ErrorFacts {
  readonly phase: Phase;
  /** The configuration field or prompt block that is wrong, as a path: `mcpServers[1].command`. */
  readonly field?: string | undefined;
  /** The command that was to be run. */
  readonly command?: string | undefined;
  readonly pid?: number | undefined;
  readonly exitCode?: number | null | undefined;
  readonly exitSignal?: NodeJS.Signals | null | undefined;
  /** The last lines that the agent wrote to stderr, redacted. */
  readonly stderrTail?: string | undefined;
  /** The ACP method whose answer was awaited. */
  readonly method?: string | undefined;
  readonly rpc?: RpcErrorFacts | undefined;
  /** The deadline that passed, in milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Whether the agent process was still running when the error arose. */
  readonly agentAlive?: boolean | undefined;
  readonly sessionId?: string | undefined;
  /** The ids of the authentication methods that the agent advertised. */
  readonly authMethods?: readonly string[] | undefined;
  /** Process ids that survived every signal. */
  readonly survivors?: readonly number[] | undefined;
  /** Overrides the registry's value for this one error. */
  readonly retryable?: boolean | undefined;
  readonly cause?: unknown;
}

/** Marks our errors across copies of the library in one process. */
const brand = Symbol.for('acp-launcher.error');

/**
 * The base of every error that this library throws on purpose.
 *
 * Match on `code` (see `errorCodes`), not on the message or the class. No message and no field carries an
 * environment value, a header or another secret that the library was given.
 */
export class AcpLauncherError extends Error {
  readonly code: ErrorCode;
  readonly phase: Phase;
  /** Whether the same call may well succeed when it is made again. */
  readonly retryable: boolean;
  /** For a fresh attempt that failed after a resume that failed: why the resume did. */
  resumeError?: AcpLauncherError;
  readonly facts: Omit<ErrorFacts, 'cause' | 'phase' | 'retryable'>;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts) {
    const { cause, phase, retryable, ...rest } = facts;
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.phase = phase;
    this.retryable = retryable ?? errorCodes[code].retryable;
    this.facts = rest;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Recognises errors of this library, also those of another installed copy of it. */
  static isInstance(value: unknown): value is AcpLauncherError {
    return value instanceof Error && (value as { [brand]?: unknown })[brand] === true;
  }

  /** What `JSON.stringify` and structured loggers see: code, message, facts and the chain of causes. */
  toJSON(): Record<string, unknown> {
    return {
      name: this.name,
      code: this.code,
      phase: this.phase,
      message: this.message,
      retryable: this.retryable,
      ...this.facts,
      ...(this.resumeError === undefined ? {} : { resumeError: this.resumeError.toJSON() }),
      ...(this.cause === undefined ? {} : { cause: describeCause(this.cause) }),
    };
  }
}

function describeCause(cause: unknown): unknown {
  if (AcpLauncherError.isInstance(cause)) return cause.toJSON();
  if (cause instanceof Error) {
    const { code } = cause as NodeJS.ErrnoException;
    return { name: cause.name, message: cause.message, ...(code === undefined ? {} : { code }) };
  }
  return typeof cause === 'string' ? cause : undefined;
}
