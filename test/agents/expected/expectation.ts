import { catalog } from '../lab/catalog.ts';

/** What one scenario must show, for the agents whose names begin with one of these. */
export interface Expectation {
  readonly agents: readonly string[];
  /** One verdict, or each of those that are right. */
  readonly verdict: string | readonly string[];
  /** Why, where the verdict is not what one would wish, or differs from what was measured before. */
  readonly note?: string;
}

/** By scenario. A scenario is run with the agents that stand here, and with no others. */
export type Expectations = Readonly<Record<string, readonly Expectation[]>>;

/** Those whose model can be replaced: all but the ones that want their vendor's login. */
export const withModels = catalog.filter(({ api }) => api !== undefined).map(({ name }) => name);

export const claude = ['claude-', 'zed-claude-'];

/** They answer nothing when the session is missing; the inner process says so on stderr. */
export const silentClaude = ['claude-code-acp-0.12', 'claude-code-acp-0.13'];
