import { endTreesNow } from './end-trees-now.ts';
import { hasForeignListener, markAsOurs, someListenerIsOurs } from './host-signal-listeners.ts';
import type { TerminationTarget, TreeControl } from './tree-control.ts';

export interface HostExitMember {
  readonly target: TerminationTarget;
  readonly control: TreeControl;
  close(): Promise<unknown>;
  kill(): Promise<unknown>;
}

/** The second one is for those that were launched during the first. */
const gentleRounds = 2;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ends every tracked tree when the host goes, and leaves the host's own way of going as it was: its exit code, its
 * signal, its listeners. Listens only while there are trees.
 */
class HostExit {
  private readonly members = new Set<HostExitMember>();
  private listening = false;
  private closing = false;

  /** Returns the function that takes the member out again. */
  add(member: HostExitMember): () => void {
    this.members.add(member);
    this.listen();
    return () => {
      this.members.delete(member);
      if (this.members.size === 0 && !this.closing) this.stopListening();
    };
  }

  private readonly onExit = () => endTreesNow([...this.members]);

  private readonly onSignal = markAsOurs((signal: NodeJS.Signals) => {
    if (this.closing) this.killAll();
    else if (!hasForeignListener(signal)) void this.closeAndRaise(signal);
    // Otherwise the host decides: it closes us, exits (see onExit), or lives on.
  });

  private async closeAndRaise(signal: NodeJS.Signals): Promise<void> {
    this.closing = true;
    const done = new Set<HostExitMember>();
    for (let round = 0; round < gentleRounds; round += 1) {
      const left = [...this.members].filter((member) => !done.has(member));
      await Promise.allSettled(left.map((member) => member.close()));
      for (const member of left) done.add(member);
    }
    // A host that launches on and on must not live for ever. From here to its end nothing can be launched any more.
    endTreesNow([...this.members]);
    this.closing = false;
    this.stopListening();
    // Another copy of this library is still closing its own agents: the last one raises.
    if (!someListenerIsOurs(signal)) process.kill(process.pid, signal);
  }

  private killAll(): void {
    for (const member of this.members) void member.kill();
  }

  private listen(): void {
    if (this.listening) return;
    this.listening = true;
    // First in the row: a host's `once` listener behind us is still there to be seen, and a host's `exit` listener
    // that throws does not keep ours from running.
    process.prependListener('exit', this.onExit);
    for (const signal of signals) process.prependListener(signal, this.onSignal);
  }

  private stopListening(): void {
    this.listening = false;
    process.removeListener('exit', this.onExit);
    for (const signal of signals) process.removeListener(signal, this.onSignal);
  }
}

export const hostExit = new HostExit();
