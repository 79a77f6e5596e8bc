import { pathToFileURL } from 'node:url';
import { clientErrorCodes, ClientRequestError } from './client-request-error.ts';

const { invalidParams, notFound, internal } = clientErrorCodes;

/** What the system's error codes mean to an agent that asked for a file. */
const meanings = new Map<string, readonly [rpcCode: number, meaning: string]>([
  ['ENOENT', [notFound, 'does not exist']],
  ['ENOTDIR', [invalidParams, 'leads through something that is not a directory']],
  ['ELOOP', [invalidParams, 'is a symbolic link that leads nowhere, or became a link just now']],
  ['ENAMETOOLONG', [invalidParams, 'is too long for a path']],
  ['EISDIR', [invalidParams, 'is not a regular file']],
  ['ENXIO', [invalidParams, 'is not a regular file']],
  ['ENODEV', [invalidParams, 'is not a regular file']],
  ['EACCES', [internal, 'may not be accessed']],
  ['EPERM', [internal, 'may not be accessed']],
  ['EROFS', [internal, 'is on a read-only file system']],
  ['ENOSPC', [internal, 'does not fit: no space is left']],
  ['EDQUOT', [internal, 'does not fit: the quota is used up']],
]);

/** An error about the file at `path`, as the agent named it. */
export function fileRequestError(rpcCode: number, path: string, meaning: string): ClientRequestError {
  return new ClientRequestError(rpcCode, `${path} ${meaning}`, { uri: pathToFileURL(path).href });
}

/** Turns what the file system threw into an answer for the agent. */
export function toFileRequestError(error: unknown, path: string): ClientRequestError {
  if (error instanceof ClientRequestError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  const [rpcCode, meaning] = meanings.get(code) ?? [internal, `could not be accessed (${code})`];
  return fileRequestError(rpcCode, path, meaning);
}

/** The error of something that is in the place of a regular file, made like the system's own. */
export function notRegular(): Error {
  return Object.assign(new Error('not a regular file'), { code: 'EISDIR' });
}
