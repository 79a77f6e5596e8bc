import { isAbsolute, resolve, sep } from 'node:path';
import type { ToolCallUpdate, ToolKind } from '@agentclientprotocol/sdk';
import { canonicalPath } from './canonical-path.ts';
import { invalidConfig } from '../errors/invalid-config.ts';
import { checkList, checkOptions } from '../internal/check-input.ts';
import { checkDecision, type PermissionDecision } from './choose-permission-option.ts';
import { matchesLocation, parseLocationPattern, type LocationPattern } from './location-pattern.ts';

/** A decision, and the requests that it is for: all conditions that are given must hold. */
export interface PermissionRule {
  /** The kind of the tool call, or several of them. */
  readonly kind?: ToolKind | readonly ToolKind[];
  /** The title of the tool call: the whole of it, or a pattern. */
  readonly title?: string | RegExp;
  /**
   * Where the tool call works: an absolute path (with everything under it), or a glob with `*` and `**`. A rule that
   * allows needs *all* locations of the call to be there, by their name and with every symbolic link resolved; one
   * that rejects or cancels needs only one that is there, either way. A call that names no location never fits.
   */
  readonly location?: string;
  readonly decision: PermissionDecision;
}

/** A rule that is ready to be applied. */
export interface ReadyRule extends PermissionRule {
  readonly pattern: LocationPattern | undefined;
  /** The pattern's base as it was when the rule was made: a link that the agent puts there later changes nothing. */
  readonly canonicalBase: string | undefined;
}

/** What a permission request is about. */
export interface PermissionSubject {
  readonly kind: unknown;
  readonly title: unknown;
  readonly locations: readonly PermissionLocation[];
}

/** One place that a tool call names. */
export interface PermissionLocation {
  /** The path as it was named, `..` resolved by name; `undefined` if it is no absolute path. */
  readonly named: string | undefined;
  /** Where it really leads; `undefined` where that can't be told, and where the name contains `..`. */
  readonly canonical: string | undefined;
}

/** The decision of the first rule that fits. */
export function decideByRules(
  rules: readonly ReadyRule[],
  subject: PermissionSubject,
): PermissionDecision | undefined {
  return rules.find((rule) => ruleApplies(rule, subject))?.decision;
}

function ruleApplies(rule: ReadyRule, subject: PermissionSubject): boolean {
  const { kind, title, pattern } = rule;
  if (kind !== undefined && !([] as unknown[]).concat(kind).includes(subject.kind)) return false;
  if (title !== undefined && !titleFits(title, subject.title)) return false;
  if (pattern === undefined) return true;
  const { locations } = subject;
  const namedFits = ({ named }: PermissionLocation) => named !== undefined && matchesLocation(pattern, named);
  const canonicalFits = ({ canonical }: PermissionLocation) =>
    canonical !== undefined && matchesLocation(pattern, canonical, rule.canonicalBase);
  return rule.decision === 'allow' || rule.decision === 'allow-always'
    ? locations.length > 0 && locations.every(canonicalFits)
    : locations.some((location) => namedFits(location) || canonicalFits(location));
}

function titleFits(expected: string | RegExp, title: unknown): boolean {
  if (typeof title !== 'string') return false;
  // `search` starts at the beginning each time, also for a pattern with the g flag.
  return typeof expected === 'string' ? title === expected : title.search(expected) !== -1;
}

const ruleKinds = {
  kind: ['text', 'list'],
  title: ['text', 'object'],
  location: 'text',
  decision: 'text',
} as const;

/** A rule that is taken for another one, since a name in it is misspelt, may allow everything. */
function checkRule(rule: unknown, field: string): void {
  checkOptions(rule, ruleKinds, `${field}.`);
  const { title, decision } = rule as PermissionRule;
  if (title !== undefined && typeof title !== 'string' && !(title instanceof RegExp))
    throw invalidConfig(`${field}.title`, 'must be a text or a RegExp');
  checkDecision(decision, `${field}.decision`);
}

/** @throws AcpLauncherError `invalid-config` for what is no rule, or a location that is neither absolute nor starts with `**`. */
export function prepareRules(rules: readonly PermissionRule[]): Promise<readonly ReadyRule[]> {
  checkList(rules, 'rules');
  rules.forEach((rule, index) => checkRule(rule, `rules[${index}]`));
  const parsed = rules.map((rule, index) => ({
    ...rule,
    pattern:
      rule.location === undefined
        ? undefined
        : parseLocationPattern(rule.location, `rules[${index}].location`),
  }));
  return Promise.all(
    parsed.map(async (rule) => {
      const base = rule.pattern?.base;
      return { ...rule, canonicalBase: base && (await canonicalPath(base).catch(() => base)) };
    }),
  );
}

/** Reads what a request is about from whatever the agent sent of the tool call. */
export async function readPermissionSubject(
  described: ToolCallUpdate | null | undefined,
): Promise<PermissionSubject> {
  // What an agent sends may lack anything, whatever the types say.
  const toolCall = (described ?? {}) as Record<string, unknown>;
  const locations: unknown[] = Array.isArray(toolCall['locations']) ? toolCall['locations'] : [];
  return {
    kind: toolCall['kind'],
    title: toolCall['title'],
    locations: await Promise.all(locations.map(readLocation)),
  };
}

async function readLocation(location: unknown): Promise<PermissionLocation> {
  const path = (location as { path?: unknown } | null | undefined)?.path;
  if (typeof path !== 'string' || !isAbsolute(path)) {
    return { named: undefined, canonical: undefined };
  }
  // What `a/link/..` means depends on who resolves it, so it never earns an allowance.
  const ambiguous = path.split(sep).includes('..');
  const canonical = ambiguous ? undefined : await canonicalPath(path).catch(() => undefined);
  return { named: resolve(path), canonical };
}
