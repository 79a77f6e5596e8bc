import { launchAndPrompt } from './launch-and-prompt.ts';
import type { Scenario } from './scenario.ts';

/** In the order of the report. */
export const scenarios: readonly Scenario[] = [launchAndPrompt];
