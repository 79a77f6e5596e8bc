import { checkOptions, type OptionKind } from '../internal/check-input.ts';

/** Options of every request to an agent. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/** @throws AcpLauncherError `invalid-config` naming the option. */
export function checkRequestOptions(
  options: unknown,
  prefix = 'options.',
  others: Readonly<Record<string, OptionKind>> = {},
): void {
  checkOptions(options, { signal: 'signal', ...others }, prefix);
}
