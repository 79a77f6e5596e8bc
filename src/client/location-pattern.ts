import { isAbsolute, relative, resolve, sep } from 'node:path';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { isInside } from './canonical-path.ts';

/** A place in the file system, or a set of places. */
export interface LocationPattern {
  /** The directory before the first wildcard; `undefined` where the pattern starts with `**`. */
  readonly base: string | undefined;
  /** What the rest of the path must look like; `undefined` = anything under the base, and the base itself. */
  readonly rest: RegExp | undefined;
}

/**
 * Reads an absolute path (it stands for itself and everything under it) or a glob: `*` is anything within one name,
 * `**` anything across directories.
 *
 * @throws `invalid-config` for a relative path: what it is relative to would be the agent's choice.
 */
export function parseLocationPattern(pattern: string, field: string): LocationPattern {
  if (!isAbsolute(pattern) && !pattern.startsWith('**')) {
    const message = `${field} must be an absolute path, or a glob that starts with /, or **: ${pattern}`;
    throw new AcpLauncherError('invalid-config', message, { phase: 'config', field });
  }
  const names = pattern.split(sep);
  const firstGlob = names.findIndex((name) => name.includes('*'));
  if (firstGlob === -1) return { base: resolve(pattern), rest: undefined };
  const before = names.slice(0, firstGlob).join(sep);
  return {
    base: firstGlob === 0 ? undefined : resolve(before + sep),
    rest: globToRegExp(names.slice(firstGlob).join('/')),
  };
}

/** Whether an absolute path free of `..` fits. `base` replaces the pattern's own, for a base that was resolved. */
export function matchesLocation(pattern: LocationPattern, path: string, base = pattern.base): boolean {
  if (base !== undefined && !isInside(base, path)) return false;
  const rest = base === undefined ? path : relative(base, path);
  return pattern.rest?.test(rest.replaceAll(sep, '/')) ?? true;
}

function globToRegExp(glob: string): RegExp {
  const source = glob.replaceAll(/\*\*\/|\*\*|\*|[^*]+/g, (token) => {
    if (token === '**/') return '(?:.*/)?';
    if (token === '**') return '.*';
    return token === '*' ? '[^/]*' : token.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&');
  });
  return new RegExp(`^${source}$`, 's');
}
