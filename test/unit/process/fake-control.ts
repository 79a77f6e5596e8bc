import type { TerminationTarget, TreeControl } from '../../../src/process/tree-control.ts';
import { unreal } from './fake-processes.ts';

export type Rung = 'look' | 'endInput' | 'close grace' | 'SIGTERM' | 'terminate grace' | 'kill';

/** A tree that is gone after a given rung; it records which ones were climbed, and with which graces. */
export class FakeControl implements TreeControl {
  readonly climbed: Rung[] = [];
  readonly graces: number[] = [];
  readonly target: TerminationTarget;
  exits = 0;
  hurried = false;
  /** What `kill` reports, call by call; after the last one, nothing survives. */
  survivors: number[][] = [];
  private readonly goneAfter: Rung;
  private readonly hasSigterm: boolean;
  private onWait: () => void = () => undefined;

  constructor(goneAfter: Rung, { hasSigterm = true, exited = new Promise<unknown>(() => undefined) } = {}) {
    this.goneAfter = goneAfter;
    this.hasSigterm = hasSigterm;
    this.target = { pid: unreal(10), lease: 'ours', exited, endInput: () => this.climbed.push('endInput') };
  }

  /** Runs the callback in the next grace, instead of waiting. */
  inNextGrace(callback: () => void): void {
    this.onWait = callback;
  }

  noteExit(): void {
    this.exits += 1;
  }

  hurry(): void {
    this.hurried = true;
  }

  look(): Promise<boolean> {
    return this.climb('look');
  }

  goneWithin(timeoutMs: number): Promise<boolean> {
    this.graces.push(timeoutMs);
    this.onWait();
    return this.climb(this.climbed.includes('SIGTERM') ? 'terminate grace' : 'close grace');
  }

  askToEnd(): Promise<boolean> {
    if (this.hasSigterm) this.climbed.push('SIGTERM');
    return Promise.resolve(this.hasSigterm);
  }

  kill(): Promise<readonly number[]> {
    this.climbed.push('kill');
    return Promise.resolve(this.survivors.shift() ?? []);
  }

  signalNow(): number {
    return 0;
  }

  isAliveNow(): boolean {
    return false;
  }

  private climb(rung: Rung): Promise<boolean> {
    this.climbed.push(rung);
    return Promise.resolve(this.goneAfter === rung);
  }
}
