import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { checkList } from '../internal/check-input.ts';
import { canonicalPath, isInside } from './canonical-path.ts';
import { clientErrorCodes, ClientRequestError } from './client-request-error.ts';
import { toFileRequestError } from './file-request-error.ts';

/** A path under one of the roots, free of links and `..` when it was looked up. */
export interface JailedPath {
  readonly root: string;
  /** The directories that lead from the root to it. */
  readonly directories: readonly string[];
  /** Its name in the last of them; empty for the root itself. */
  readonly name: string;
}

/**
 * Resolves the roots of a jail once and for all.
 *
 * @throws `invalid-config` where there is none, or one is not an absolute path of an existing directory.
 */
export function canonicalRoots(roots: readonly string[]): readonly [string, ...string[]] {
  checkList(roots, 'roots');
  const [first, ...others] = roots.map((root, index) => canonicalRoot(root, `roots[${index}]`));
  if (first === undefined) throw invalidRoot('roots must name at least one directory', 'roots');
  return [first, ...others];
}

function canonicalRoot(root: string, field: string): string {
  if (!isAbsolute(root)) throw invalidRoot(`${field} must be an absolute path: ${root}`, field);
  try {
    if (statSync(root).isDirectory()) return realpathSync.native(root);
  } catch (error) {
    throw invalidRoot(`${field} does not exist or can't be reached: ${root}`, field, error);
  }
  throw invalidRoot(`${field} is not a directory: ${root}`, field);
}

function invalidRoot(message: string, field: string, cause?: unknown): AcpLauncherError {
  return new AcpLauncherError('invalid-config', message, { phase: 'config', field, cause });
}

/**
 * Finds where a path of the agent really leads and refuses it outside the roots, in the same words whether anything
 * is there or not.
 *
 * @throws ClientRequestError
 */
export async function locateInJail(roots: readonly string[], path: unknown): Promise<JailedPath> {
  if (typeof path !== 'string' || !isAbsolute(path) || path.includes('\0')) {
    throw new ClientRequestError(clientErrorCodes.invalidParams, 'the path must be an absolute path');
  }
  const canonical = await canonicalPath(path).catch((error: unknown) => {
    if (!roots.some((root) => isInside(root, resolve(path)))) throw outside(path);
    throw toFileRequestError(error, path);
  });
  const root = roots.find((candidate) => isInside(candidate, canonical));
  if (root === undefined) throw outside(path);
  const names = relative(root, canonical).split(sep);
  return { root, directories: names.slice(0, -1), name: names.at(-1) ?? '' };
}

function outside(path: string): ClientRequestError {
  return new ClientRequestError(
    clientErrorCodes.invalidParams,
    `${path} is outside the directories that are open to the agent`,
  );
}
