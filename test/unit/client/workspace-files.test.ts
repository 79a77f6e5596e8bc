import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { ClientRequestError } from '../../../src/client/client-request-error.ts';
import { workspaceFiles, type WorkspaceFilesOptions } from '../../../src/client/workspace-files.ts';
import { temporaryDirectory } from './temporary-directory.ts';

let base: string;
let root: string;

beforeEach(() => {
  base = temporaryDirectory();
  root = join(base, 'project');
  mkdirSync(root);
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(base, 'outside/secret'), 'the secret');
});

const live = () => ({ signal: new AbortController().signal });

async function read(path: unknown, window: object = {}, options: Partial<WorkspaceFilesOptions> = {}) {
  const { readTextFile } = workspaceFiles({ roots: [root], ...options });
  const { content } = await readTextFile({ sessionId: 's', path: path as string, ...window }, live());
  return content;
}

async function write(
  path: unknown,
  content: unknown,
  options: Partial<WorkspaceFilesOptions> = {},
  signal = live(),
) {
  const { writeTextFile } = workspaceFiles({ roots: [root], ...options });
  await writeTextFile?.({ sessionId: 's', path: path as string, content: content as string }, signal);
}

/** How often this process has the file open. */
const openCount = (path: string) =>
  readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === path;
    } catch {
      return false;
    }
  }).length;

async function refusal(work: Promise<unknown>): Promise<ClientRequestError> {
  const error: unknown = await work.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ClientRequestError)) throw error;
  return error;
}

/** What is in the way of a regular file, made at `path`. */
const special = {
  directory: (path: string) => {
    mkdirSync(path);
  },
  pipe: (path: string) => {
    execFileSync('mkfifo', [path]);
  },
  socket: async (path: string) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return () => server.close();
  },
};

describe('readTextFile', () => {
  test('reads whole files and windows of them', async () => {
    const path = join(root, 'a.txt');
    writeFileSync(path, '\uFEFFone\r\ntwo\n三\n');
    expect(await read(path)).toBe('\uFEFFone\r\ntwo\n三\n');
    expect(await read(path, { line: 2 })).toBe('two\n三\n');
    expect(await read(path, { line: 2, limit: 1 })).toBe('two\n');
    expect(await read(path, { line: null, limit: null })).toBe('\uFEFFone\r\ntwo\n三\n');
    expect(await read(path, { line: 9 })).toBe('');
  });

  test.each([{ line: -1 }, { line: 1.5 }, { line: '1' }, { limit: -1 }, { limit: NaN }])(
    'refuses the window %j',
    async (window) => {
      writeFileSync(join(root, 'a'), 'x');
      expect((await refusal(read(join(root, 'a'), window))).rpcCode).toBe(-32602);
    },
  );

  test('a missing file is -32002 with its uri', async () => {
    const path = join(root, 'no such/file é');
    const error = await refusal(read(path));
    expect(error).toMatchObject({ rpcCode: -32002, data: { uri: pathToFileURL(path).href } });
    expect(error.message).toContain(path);
  });

  test.each([undefined, null, 3, '', 'a.txt', './a.txt', '../outside/secret', '/etc/\0passwd'])(
    'refuses the path %j',
    async (path) => {
      expect((await refusal(read(path))).rpcCode).toBe(-32602);
    },
  );

  test('a path that leads out is refused in the same words, whether anything is there or not', async () => {
    mkdirSync(join(base, 'project-2'));
    writeFileSync(join(base, 'project-2/a'), 'x');
    symlinkSync('../outside/secret', join(root, 'link'));
    symlinkSync(join(base, 'outside'), join(root, 'directory'));
    symlinkSync('../outside/nothing', join(root, 'dangling'));
    symlinkSync('link', join(root, 'second'));
    const paths = [
      join(base, 'outside/secret'),
      join(base, 'outside/nothing'),
      join(base, 'project-2/a'),
      `${root}/../outside/secret`,
      `${root}/x/../../outside/secret`,
      join(root, 'link'),
      join(root, 'directory/secret'),
      join(root, 'directory/nothing/at/all'),
      join(root, 'dangling'),
      join(root, 'second'),
      '/etc/passwd/x',
      '/',
      base,
    ];
    for (const path of paths) {
      const error = await refusal(read(path));
      expect(error).toMatchObject({
        rpcCode: -32602,
        message: `${path} is outside the directories that are open to the agent`,
      });
    }
  });

  test('links that stay inside are followed, and `..` that comes back', async () => {
    mkdirSync(join(root, 'src'));
    writeFileSync(join(root, 'src/a'), 'inside');
    symlinkSync('src', join(root, 'link'));
    symlinkSync('link/a', join(root, 'file'));
    symlinkSync('project', join(base, 'alias'));
    for (const path of ['link/a', 'file', 'src/../link/a'])
      expect(await read(`${root}/${path}`)).toBe('inside');
    expect(await read(join(base, 'alias/src/a'))).toBe('inside');
    expect(await read(join(root, 'src/a'), {}, { roots: [join(base, 'alias')] })).toBe('inside');
    expect(await read(join(root, 'src/a'), {}, { roots: [join(base, 'outside'), root] })).toBe('inside');
  });

  test('a link to nothing inside is a missing file, and a loop an error', async () => {
    symlinkSync('nothing', join(root, 'dangling'));
    symlinkSync('loop', join(root, 'loop'));
    expect((await refusal(read(join(root, 'dangling')))).rpcCode).toBe(-32002);
    expect((await refusal(read(join(root, 'loop')))).rpcCode).toBe(-32602);
  });

  test.each(Object.entries(special))('refuses a %s without waiting for it', async (_what, make) => {
    const path = join(root, 'special');
    const undo = await make(path);
    try {
      expect(await refusal(read(path))).toMatchObject({
        rpcCode: -32602,
        message: `${path} is not a regular file`,
      });
    } finally {
      undo?.();
    }
  });

  test.each(['/dev/zero', '/dev/null', '/dev'])('refuses %s', async (path) => {
    expect((await refusal(read(path, {}, { roots: ['/dev'] }))).message).toBe(
      `${path} is not a regular file`,
    );
  });

  test('a file in the place of a directory is an error', async () => {
    writeFileSync(join(root, 'file'), 'x');
    expect((await refusal(read(join(root, 'file/x')))).rpcCode).toBe(-32602);
  });

  test('refuses what is no UTF-8 text', async () => {
    writeFileSync(join(root, 'binary'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]));
    writeFileSync(join(root, 'latin1'), Buffer.from('café', 'latin1'));
    for (const name of ['binary', 'latin1']) {
      expect((await refusal(read(join(root, name)))).message).toBe(`${join(root, name)} is not UTF-8 text`);
    }
  });

  test('reads up to maxBytes and refuses more, by what is there and not by what stat says', async () => {
    const path = join(root, 'a');
    writeFileSync(path, 'x'.repeat(100));
    expect(await read(path, {}, { maxBytes: 100 })).toHaveLength(100);
    const error = await refusal(read(path, { limit: 1 }, { maxBytes: 99 }));
    expect(error).toMatchObject({ rpcCode: -32603, message: `${path} is larger than the 99 bytes allowed` });

    const sizeless = { roots: ['/proc/self'], maxBytes: 10 };
    expect(statSync('/proc/self/status').size).toBe(0);
    expect((await refusal(read(`/proc/${process.pid}/status`, {}, sizeless))).rpcCode).toBe(-32603);
    expect(await read(`/proc/${process.pid}/status`, {}, { roots: ['/proc/self'] })).toMatch(/^Name:/);
  });
});

test('however many files are asked for at once, a few are open at a time, and all are answered', async () => {
  const path = join(root, 'a');
  writeFileSync(path, 'x'.repeat(1_000_000));
  const { readTextFile } = workspaceFiles({ roots: [root] });
  const progress = { isDone: false };
  let mostOpen = 0;
  const watched = (async () => {
    while (!progress.isDone) {
      mostOpen = Math.max(mostOpen, openCount(path));
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const answers = await Promise.all(
    Array.from({ length: 100 }, async () => readTextFile({ sessionId: 's', path }, live())),
  );
  progress.isDone = true;
  await watched;
  expect(answers.every(({ content }) => content.length === 1_000_000)).toBe(true);
  expect(mostOpen).toBeGreaterThan(0);
  expect(mostOpen).toBeLessThanOrEqual(8);
});

describe('writeTextFile', () => {
  test('creates a file, and the directories that it needs', async () => {
    await write(join(root, 'a/b/c.txt'), 'héllo\n');
    expect(readFileSync(join(root, 'a/b/c.txt'), 'utf8')).toBe('héllo\n');
    expect(readdirSync(join(root, 'a/b'))).toEqual(['c.txt']);
    await write(join(root, 'empty'), '');
    expect(readFileSync(join(root, 'empty'), 'utf8')).toBe('');
  });

  test('replaces a file as a whole and keeps its mode and owner', async () => {
    const path = join(root, 'run.sh');
    writeFileSync(path, 'old');
    linkSync(path, join(root, 'hard-link'));
    chmodSync(path, 0o751);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(path, 1234, 1235);
    await write(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o751);
    if (isRoot) expect(statSync(path)).toMatchObject({ uid: 1234, gid: 1235 });
    // The old content was never touched, so that no reader can have seen a part of the new one.
    expect(readFileSync(join(root, 'hard-link'), 'utf8')).toBe('old');
    expect(readdirSync(root).sort()).toEqual(['hard-link', 'run.sh']);
  });

  test('a new file gets the mode that the umask gives', async () => {
    await write(join(root, 'new'), 'x');
    writeFileSync(join(root, 'plain'), 'x');
    expect(statSync(join(root, 'new')).mode).toBe(statSync(join(root, 'plain')).mode);
  });

  test('a link inside stays, and its target is written, also one that does not exist yet', async () => {
    writeFileSync(join(root, 'target'), 'old');
    symlinkSync('target', join(root, 'link'));
    symlinkSync('made/new', join(root, 'dangling'));
    await write(join(root, 'link'), 'new');
    await write(join(root, 'dangling'), 'created');
    expect(readFileSync(join(root, 'target'), 'utf8')).toBe('new');
    expect(readFileSync(join(root, 'made/new'), 'utf8')).toBe('created');
    expect(lstatSync(join(root, 'link')).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(root, 'dangling')).isSymbolicLink()).toBe(true);
  });

  test('nothing outside is written or made', async () => {
    symlinkSync('../outside/secret', join(root, 'link'));
    symlinkSync('../outside', join(root, 'directory'));
    symlinkSync('../outside/new', join(root, 'dangling'));
    const paths = [
      join(root, 'link'),
      join(root, 'directory/new'),
      join(root, 'directory/a/b/new'),
      join(root, 'dangling'),
      join(root, 'dangling/new'),
      `${root}/../outside/new`,
      join(base, 'outside/secret'),
      join(base, 'new'),
    ];
    for (const path of paths) expect((await refusal(write(path, 'x'))).rpcCode).toBe(-32602);
    expect(readFileSync(join(base, 'outside/secret'), 'utf8')).toBe('the secret');
    expect(readdirSync(join(base, 'outside'))).toEqual(['secret']);
    expect(readdirSync(base).sort()).toEqual(['outside', 'project']);
  });

  test.each(Object.entries(special))('refuses to replace a %s', async (_what, make) => {
    const path = join(root, 'special');
    const undo = await make(path);
    try {
      expect(await refusal(write(path, 'x'))).toMatchObject({
        rpcCode: -32602,
        message: `${path} is not a regular file`,
      });
      expect(lstatSync(path).isFile()).toBe(false);
      expect(readdirSync(root)).toEqual(['special']);
    } finally {
      undo?.();
    }
  });

  test('refuses the root itself, and a file in the place of a directory', async () => {
    writeFileSync(join(root, 'file'), 'x');
    expect((await refusal(write(root, 'x'))).rpcCode).toBe(-32602);
    expect((await refusal(write(join(root, 'file/x'), 'x'))).rpcCode).toBe(-32602);
    expect(readdirSync(root)).toEqual(['file']);
  });

  test('refuses content that is no text or too large, counted in bytes', async () => {
    const path = join(root, 'a');
    for (const content of [undefined, null, 3, {}]) {
      expect((await refusal(write(path, content))).rpcCode).toBe(-32602);
    }
    expect((await refusal(write(path, 'éé', { maxBytes: 3 }))).rpcCode).toBe(-32603);
    expect(existsSync(path)).toBe(false);
    await write(path, 'éé', { maxBytes: 4 });
    expect(readFileSync(path, 'utf8')).toBe('éé');
  });

  test('a request that was taken back while it waited makes no directory', async () => {
    const { writeTextFile, readTextFile } = workspaceFiles({ roots: [root] });
    writeFileSync(join(root, 'a'), 'x');
    const before = Array.from({ length: 8 }, async () =>
      readTextFile({ sessionId: 's', path: join(root, 'a') }, live()),
    );
    const taken = new AbortController();
    const path = join(root, 'new', 'b');
    const waiting = (async () =>
      writeTextFile?.({ sessionId: 's', path, content: 'x' }, { signal: taken.signal }))();
    taken.abort();
    expect((await refusal(waiting)).rpcCode).toBe(-32800);
    await Promise.all(before);
    expect(existsSync(join(root, 'new'))).toBe(false);
  });

  test('a request that was taken back changes nothing and leaves nothing', async () => {
    writeFileSync(join(root, 'a'), 'old');
    const error = await refusal(write(join(root, 'a'), 'new', {}, { signal: AbortSignal.abort() }));
    expect(error.rpcCode).toBe(-32800);
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('old');
    expect(readdirSync(root)).toEqual(['a']);
  });

  test('a failure on the way leaves the old file and no temporary one', async () => {
    const full = join(base, 'full');
    mkdirSync(full);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', full], { stdio: 'ignore' });
    } catch {
      // Not allowed here: the request that was taken back shows the same clean-up.
      return;
    }
    try {
      writeFileSync(join(full, 'a'), 'old');
      const error = await refusal(write(join(full, 'a'), 'x'.repeat(1_000_000), { roots: [full] }));
      expect(error).toMatchObject({
        rpcCode: -32603,
        message: expect.stringMatching(/no space is left/) as string,
      });
      expect(readFileSync(join(full, 'a'), 'utf8')).toBe('old');
      expect(readdirSync(full)).toEqual(['a']);
    } finally {
      execFileSync('umount', [full]);
    }
  });

  test('is not there with readOnly', () => {
    expect(Object.keys(workspaceFiles({ roots: [root], readOnly: true }))).toEqual(['readTextFile']);
    expect(Object.keys(workspaceFiles({ roots: [root] }))).toEqual(['readTextFile', 'writeTextFile']);
  });

  test('concurrent writes leave one of the contents, whole', async () => {
    const contents = Array.from({ length: 8 }, (_, index) => String(index).repeat(100_000));
    await Promise.all(contents.map((content) => write(join(root, 'a'), content)));
    expect(contents).toContain(readFileSync(join(root, 'a'), 'utf8'));
    expect(readdirSync(root)).toEqual(['a']);
  });

  test('concurrent writes make the directories that they share once', async () => {
    const paths = Array.from({ length: 8 }, (_, index) => join(root, 'a/b/c', String(index)));
    await Promise.all(paths.map((path) => write(path, 'x')));
    expect(readdirSync(join(root, 'a/b/c'))).toHaveLength(8);
  });
});

test.each([
  ['no root', () => []],
  ['a relative root', () => ['src']],
  ['a root that does not exist', () => [join(base, 'nothing')]],
  ['a root that is a file', () => [join(base, 'outside/secret')]],
])('refuses %s when the handlers are made', (_what, roots) => {
  expect(() => workspaceFiles({ roots: roots() })).toThrow(
    expect.objectContaining({ code: 'invalid-config' }) as Error,
  );
});
