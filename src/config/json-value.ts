import { invalidConfig } from '../errors/invalid-config.ts';
import { fieldPath } from './validate.ts';

/** An object of plain JSON values. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Deeper than any real configuration; a cycle ends here with an error instead of a stack overflow. */
const deepestLevel = 64;

/**
 * A deeply frozen copy of plain JSON data. Entries that are `undefined` are left out, as `JSON.stringify` does.
 * @throws `invalid-config` for what JSON cannot carry: functions, symbols, bigints, class instances, cycles.
 */
export function frozenJson(value: unknown, root: string, path: readonly PropertyKey[] = []): unknown {
  const refuse = (what: string) => invalidConfig(fieldPath(root, path), `${what} cannot be sent as JSON`);
  if (path.length > deepestLevel) throw refuse('a value that is nested without end');
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw refuse('a number that is not finite');
  }
  if (Array.isArray(value)) {
    return Object.freeze(value.map((item, index) => frozenJson(item, root, [...path, index])));
  }
  if (!isPlainObject(value))
    throw refuse(typeof value === 'object' ? 'an instance of a class' : `a ${typeof value}`);
  return frozenJsonObject(value, root, path);
}

/** As {@link frozenJson}, for a value that is known to be an object. */
export function frozenJsonObject(value: object, root: string, path: readonly PropertyKey[] = []): JsonObject {
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    // Assigned, `__proto__` would change the copy's prototype instead of its content.
    if (item === undefined || key === '__proto__') continue;
    copy[key] = frozenJson(item, root, [...path, key]);
  }
  return Object.freeze(copy);
}

/**
 * A new object with the entries of both; where both hold an object, the two are merged, otherwise `over` wins.
 * Both come from {@link frozenJson}; neither is changed.
 */
export function mergeJson(under: JsonObject, over: JsonObject): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const existing = under[key];
    merged[key] = isPlainObject(existing) && isPlainObject(value) ? mergeJson(existing, value) : value;
  }
  return merged;
}

export function isPlainObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Freezes data made of plain objects and arrays, all the way down. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
