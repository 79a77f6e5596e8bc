import type { CatalogAgent } from './catalog/catalog-agent.ts';
import { claudeAgents } from './catalog/claude.ts';
import { codexAgents } from './catalog/codex.ts';
import { otherAgents } from './catalog/other-agents.ts';

/** Every agent that the suite drives, in the order in which it does. */
export const catalog: readonly CatalogAgent[] = [...claudeAgents, ...codexAgents, ...otherAgents];

/** The agents whose name is, or begins with, one of these; all of them where none is given. */
export function chooseAgents(names: readonly string[]): readonly CatalogAgent[] {
  for (const name of names) {
    if (!catalog.some((agent) => agent.name.startsWith(name))) {
      throw new Error(
        `no agent is called ${name}; there are: ${catalog.map((agent) => agent.name).join(', ')}`,
      );
    }
  }
  return names.length === 0
    ? catalog
    : catalog.filter((agent) => names.some((name) => agent.name.startsWith(name)));
}
