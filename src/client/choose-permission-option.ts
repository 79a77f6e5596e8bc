import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import { invalidConfig } from '../errors/invalid-config.ts';

/**
 * What to answer to a permission request. `allow` and `reject` are for this once where the agent offers that, and
 * lasting where it offers nothing else; `allow-always` and `reject-always` the other way round. `cancel` refuses to
 * decide: many agents then end the whole turn.
 */
export type PermissionDecision = 'allow' | 'allow-always' | 'reject' | 'reject-always' | 'cancel';

/** One of the options that the agent offered, by its id. */
export interface SelectedOption {
  readonly optionId: string;
}

const preferredKinds = new Map<unknown, readonly string[]>([
  ['allow', ['allow_once', 'allow_always']],
  ['allow-always', ['allow_always', 'allow_once']],
  ['reject', ['reject_once', 'reject_always']],
  ['reject-always', ['reject_always', 'reject_once']],
]);

const decisions: readonly unknown[] = [...preferredKinds.keys(), 'cancel'] satisfies unknown[];

/** @throws AcpLauncherError `invalid-config` for what is no decision. */
export function checkDecision(decision: unknown, field: string): void {
  if (!decisions.includes(decision)) throw invalidConfig(field, `must be one of ${decisions.join(', ')}`);
}

/**
 * Picks the option that carries out a decision, by its kind or its exact id, from what the agent offered and never
 * from anything else. Where nothing fits, the outcome is `cancelled`: an allowance is never turned into a refusal or
 * the reverse.
 */
export function choosePermissionOption(
  decision: PermissionDecision | SelectedOption,
  options: unknown,
): RequestPermissionResponse {
  const offered = Array.isArray(options) ? options.filter(isOption) : [];
  const chosen =
    typeof decision === 'string'
      ? preferredKinds
          .get(decision)
          ?.flatMap((kind) => offered.filter((option) => option.kind === kind))
          .at(0)
      : offered.find((option) => option.optionId === readOptionId(decision));
  if (chosen === undefined) return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId: chosen.optionId } };
}

function isOption(value: unknown): value is { optionId: string; kind?: unknown } {
  return typeof readOptionId(value) === 'string';
}

function readOptionId(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as { optionId?: unknown }).optionId : undefined;
}
