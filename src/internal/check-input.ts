import { invalidConfig } from '../errors/invalid-config.ts';

/** Whether something can be used as an AbortSignal: `undefined`, or an object that can be listened to. */
export function checkSignal(signal: unknown, field = 'signal'): void {
  if (signal !== undefined && !isSignal(signal)) throw invalidConfig(field, 'must be an AbortSignal');
}

function isSignal(value: unknown): boolean {
  const { aborted, addEventListener, removeEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return (
    typeof aborted === 'boolean' &&
    typeof addEventListener === 'function' &&
    typeof removeEventListener === 'function'
  );
}

/** @throws AcpLauncherError `invalid-config` for anything but a text that says something. */
export function checkText(value: unknown, field: string): void {
  if (typeof value !== 'string' || value.trim() === '')
    throw invalidConfig(field, 'must be a non-empty text');
}

/** @throws AcpLauncherError `invalid-config` for what is no array. */
export function checkList(value: unknown, field: string): void {
  if (!Array.isArray(value)) throw invalidConfig(field, 'must be a list');
}

/** What an option may be. */
export type OptionKind =
  'text' | 'flag' | 'number' | 'amount' | 'list' | 'object' | 'function' | 'signal' | 'null';

const fits: Readonly<Record<OptionKind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  flag: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  amount: (value) => typeof value === 'number' && value >= 0,
  list: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  function: (value) => typeof value === 'function',
  signal: isSignal,
  null: (value) => value === null,
};

const words: Readonly<Record<OptionKind, string>> = {
  text: 'a text',
  flag: 'true or false',
  number: 'a number',
  amount: 'a number from 0',
  list: 'a list of texts',
  object: 'an object',
  function: 'a function',
  signal: 'an AbortSignal',
  null: 'null',
};

/** For options that are all numbers, as the limits are. */
export function numberKinds(options: object): Readonly<Record<string, OptionKind>> {
  return Object.fromEntries(Object.keys(options).map((name) => [name, 'number']));
}

/**
 * Refuses what is no object of options, a name that is not known (a typing error), and a value of another kind.
 *
 * @param prefix - Put before the option's name in the error's `field`: `options.`.
 * @throws AcpLauncherError `invalid-config` naming the option.
 */
export function checkOptions(
  options: unknown,
  known: Readonly<Record<string, OptionKind | readonly OptionKind[]>>,
  prefix = '',
): void {
  if (!fits.object(options)) throw invalidConfig(prefix.replace(/\.$/, '') || 'options', 'must be an object');
  for (const [name, value] of Object.entries(options as object) as [string, unknown][]) {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined;
    if (kind === undefined) throw invalidConfig(`${prefix}${name}`, 'is not a known option');
    const kinds = typeof kind === 'string' ? [kind] : kind;
    if (value === undefined || kinds.some((one) => fits[one](value))) continue;
    throw invalidConfig(`${prefix}${name}`, `must be ${kinds.map((one) => words[one]).join(' or ')}`);
  }
}
