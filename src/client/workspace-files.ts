import { checkOptions } from '../internal/check-input.ts';
import { WorkSlots } from '../internal/work-slots.ts';
import type { AgentClient, ClientContext, ClientRequestHandler } from './agent-client.ts';
import { cancelledRequest, clientErrorCodes, ClientRequestError } from './client-request-error.ts';
import { fileRequestError, toFileRequestError } from './file-request-error.ts';
import { canonicalRoots, locateInJail } from './path-jail.ts';
import { readFileInJail } from './read-file-in-jail.ts';
import { decodeText, selectLines } from './text-window.ts';
import { writeFileInJail } from './write-file-in-jail.ts';

export interface WorkspaceFilesOptions {
  /** The directories that are open to the agent, as absolute paths; resolved once, when the handlers are made. */
  readonly roots: readonly string[];
  /** Leaves the write handler out, so that writing is not even advertised. @defaultValue false */
  readonly readOnly?: boolean;
  /** The largest file that is read or written, in bytes, also where only some lines are asked for. @defaultValue 10 MiB */
  readonly maxBytes?: number;
}

/** Each file that is being read or written is in memory: what an agent asks for beyond this waits. */
const filesAtOnce = 8;

/** The handlers of {@link workspaceFiles}; `writeTextFile` is absent with `readOnly`. */
export type WorkspaceFiles = Required<Pick<AgentClient, 'readTextFile'>> & Pick<AgentClient, 'writeTextFile'>;

type ReadTextFile = NonNullable<AgentClient['readTextFile']>;
type WriteTextFile = NonNullable<AgentClient['writeTextFile']>;

/**
 * Serves `fs/read_text_file` and `fs/write_text_file` from the disk, for regular UTF-8 files under the roots.
 *
 * Links are followed as long as they stay inside. Everything else is refused with a clear error: paths and links that
 * lead out (also ones that are swapped in at the last moment), directories, pipes, sockets and devices (which never
 * block), binary files, files over `maxBytes`. Writes are atomic, keep the mode of the file and create missing
 * directories. This confines the two methods, not the agent: its own tools and its terminals go where they like.
 *
 * @throws AcpLauncherError `invalid-config` naming the option; also where `roots` is empty or one of them is not an
 * absolute path of an existing directory.
 */
export function workspaceFiles(options: WorkspaceFilesOptions): WorkspaceFiles {
  checkOptions(options, { roots: 'list', readOnly: 'flag', maxBytes: 'amount' });
  const { readOnly = false, maxBytes = 10 * 1024 * 1024 } = options;
  const roots = canonicalRoots(options.roots);
  const slots = new WorkSlots(filesAtOnce);

  const readTextFile: ReadTextFile = async ({ path, line, limit }) => {
    const window = [readCount(line, 'line'), readCount(limit, 'limit')] as const;
    const place = await locateInJail(roots, path);
    const bytes = await readFileInJail(place, maxBytes).catch((error: unknown) => {
      throw toFileRequestError(error, path);
    });
    if (bytes === undefined) throw tooLarge(path, maxBytes);
    const text = decodeText(bytes);
    if (text === undefined) throw fileRequestError(clientErrorCodes.internal, path, 'is not UTF-8 text');
    return { content: selectLines(text, ...window) };
  };

  const writeTextFile: WriteTextFile = async ({ path, content }, { signal }) => {
    if (typeof content !== 'string') {
      throw new ClientRequestError(clientErrorCodes.invalidParams, 'the content must be a string');
    }
    const place = await locateInJail(roots, path);
    if (Buffer.byteLength(content) > maxBytes) throw tooLarge(path, maxBytes);
    await writeFileInJail(place, content, signal).catch((error: unknown) => {
      throw toFileRequestError(error, path);
    });
    return {};
  };

  const inTurn =
    <Request, Response>(serve: ClientRequestHandler<Request, Response>) =>
    (params: Request, context: ClientContext) =>
      slots.run(async () => {
        // It may have been cancelled while it waited: no directory is made for it then.
        if (context.signal.aborted) throw cancelledRequest();
        return await serve(params, context);
      });
  const read = { readTextFile: inTurn(readTextFile) };
  return readOnly ? read : { ...read, writeTextFile: inTurn(writeTextFile) };
}

function tooLarge(path: string, maxBytes: number): ClientRequestError {
  return fileRequestError(clientErrorCodes.internal, path, `is larger than the ${maxBytes} bytes allowed`);
}

function readCount(value: unknown, field: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isInteger(value) && (value as number) >= 0) return value as number;
  throw new ClientRequestError(clientErrorCodes.invalidParams, `${field} must be a whole number from 0`);
}
