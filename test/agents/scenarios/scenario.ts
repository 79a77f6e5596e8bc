import type { ScenarioContext } from '../lab/scenario-context.ts';

/** What happened: the verdict is compared with `expected.ts`, the rest is for the reader. */
export interface Outcome {
  readonly verdict: string;
  /** Shown beside the verdict and not compared: what may differ from run to run, or is too long. */
  readonly aside?: string;
  /** Parts of the run, in milliseconds. */
  readonly times?: Readonly<Record<string, number>>;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** One story that every agent is taken through. */
export interface Scenario {
  readonly name: string;
  /** What it shows, for the report. */
  readonly shows: string;
  /** How long the whole of it may take. @defaultValue 120_000 */
  readonly timeoutMs?: number;
  /**
   * Its verdict is of times: it runs alone, after the others. In CI, on a machine of which nothing is known, a miss is
   * told and fails nothing. @defaultValue false
   */
  readonly timed?: boolean;
  /** Whether the agent's configuration files hold a login. @defaultValue true */
  readonly withLogin?: boolean;
  run(context: ScenarioContext): Promise<Outcome>;
}
