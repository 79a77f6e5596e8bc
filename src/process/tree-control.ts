import type { ProcessTable } from './process-table.ts';

/** The target of a termination, as the process's owner describes it. */
export interface TerminationTarget {
  readonly pid: number;
  /** The value put into the child's environment as `ACP_LAUNCHER_LEASE`. */
  readonly lease: string;
  /** Settles on the leader's `exit` event, never on `close`: a descendant may hold the pipes for ever. */
  readonly exited: Promise<unknown>;
  /** Ends the leader's stdin. Idempotent, and never throws. */
  endInput(): void;
  /**
   * Closes the leader's stdin in this very call, unsent data dropped; never throws. Needed when the host is in its
   * `exit` event: no loop turn comes any more that could carry out an `end()`.
   */
  destroyInput?(): void;
  /**
   * How the owner closes it when a signal ends the host: with its own graces, and after it has told the agent.
   * Resolves when that is done. Left out, the default graces apply.
   */
  closeForHost?(): Promise<unknown>;
}

/** What the termination ladder needs from a platform; one for each agent. */
export interface TreeControl {
  /** To be called in the leader's `exit` handler. */
  noteExit(): void;
  /** Cuts the waiting of {@link goneWithin} short, now and from now on. */
  hurry(): void;
  /** Learns which processes belong to the tree; resolves to whether all of them are proven gone. */
  look(): Promise<boolean>;
  /** As {@link look}, as soon as they are, but after `timeoutMs` at the latest. */
  goneWithin(timeoutMs: number): Promise<boolean>;
  /** SIGTERM to all of it. `false` where the platform has no such thing. */
  askToEnd(): Promise<boolean>;
  /** Forces the end; resolves, within a bound, to the pids that survived. */
  kill(): Promise<readonly number[]>;

  // The same for the host's 'exit' event, in which nothing asynchronous happens any more. `look` reads the table
  // of this round, one for all trees.
  /** Returns how many processes got the signal; for SIGSTOP, those that had it before don't get it again. */
  signalNow(signal: 'SIGTERM' | 'SIGSTOP' | 'SIGKILL', look: () => ProcessTable): number;
  isAliveNow(): boolean;
}
