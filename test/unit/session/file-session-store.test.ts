import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { fileSessionStore } from '../../../src/session/file-session-store.ts';
import { PointerStore, type SessionPointer } from '../../../src/session/session-store.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const folder = temporaryFolder();
const pointer = (sessionId: string): SessionPointer => ({
  v: 1,
  sessionId,
  previousSessionIds: [],
  cwd: '/p',
  agentId: 'agent',
  updatedAt: '2026-01-01T00:00:00.000Z',
});

describe('fileSessionStore', () => {
  it('refuses an empty path', () => {
    expect(() => fileSessionStore('')).toThrow(expect.objectContaining({ code: 'invalid-config' }) as Error);
  });

  it('hands over from one to another, and touches nothing before it is written', async () => {
    const path = folder.file('deep', 'store');
    const first = fileSessionStore(path);
    expect(await first.get('p')).toBeUndefined();
    await first.delete('p');
    expect(readdirSync(folder.path)).toEqual([]);
    await first.set('p', pointer('s'));
    const second = fileSessionStore(path);
    expect(await second.get('p')).toEqual(pointer('s'));
    await second.delete('p');
    expect(await first.get('p')).toBeUndefined();
    expect(readdirSync(path)).toEqual([]);
  });

  it('keeps apart ids that look alike, whatever they hold', async () => {
    const store = fileSessionStore(folder.path);
    const ids = [
      'a/b',
      'a_b',
      'a\\b',
      '../../etc/passwd',
      'A_b',
      '项目',
      '',
      '\0',
      'x'.repeat(5_000),
      'con',
      '.',
    ];
    await Promise.all(ids.map((id) => store.set(id, pointer(`of ${id}`))));
    for (const id of ids) expect(await store.get(id)).toEqual(pointer(`of ${id}`));
    expect(readdirSync(folder.path)).toHaveLength(ids.length);
  });

  it('is for the owner alone', async () => {
    await fileSessionStore(folder.path).set('p', pointer('s'));
    const [name = ''] = readdirSync(folder.path);
    expect(statSync(folder.file(name)).mode & 0o777).toBe(0o600);
  });

  it('never shows half a record', async () => {
    const store = fileSessionStore(folder.path);
    await store.set('p', pointer('0'));
    const writes = Array.from({ length: 50 }, (_, index) =>
      store.set('p', pointer(String(index).repeat(2_000))),
    );
    const reads = Array.from({ length: 50 }, () => new PointerStore(store).read('p'));
    for (const read of await Promise.all(reads)) expect(read.status).toBe('found');
    await Promise.all(writes);
    expect(readdirSync(folder.path)).toHaveLength(1);
  });

  it.each<[string, (text: string) => string]>([
    ['torn', (text) => text.slice(0, 20)],
    ['empty', () => ''],
    ['full of zeros', (text) => '\0'.repeat(text.length)],
    ['null', () => 'null'],
    ['a list', () => '[]'],
  ])('tells a file that is %s from none, and from an outage, and replaces it', async (_what, spoil) => {
    const store = fileSessionStore(folder.path);
    await store.set('p', pointer('s'));
    const file = folder.file(readdirSync(folder.path)[0] ?? '');
    writeFileSync(file, spoil(readFileSync(file, 'utf8')));
    const pointers = new PointerStore(store);
    expect(await pointers.read('p')).toMatchObject({ status: 'unreadable' });
    await store.set('p', pointer('t'));
    expect(await pointers.read('p')).toMatchObject({ status: 'found', pointer: { sessionId: 't' } });
  });

  it('has flushed the file before it takes the place of the old one, and the folder after', async () => {
    const handle = await open(folder.path);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const flush = vi.spyOn(prototype, 'sync').mockImplementation(() => {
      order.push(readdirSync(folder.path).map((name) => name.split('.').at(-1)));
      return Promise.resolve();
    });
    const order: unknown[] = [];
    await fileSessionStore(folder.path).set('p', pointer('s'));
    flush.mockRestore();
    expect(order).toEqual([['tmp'], ['json']]);
  });

  it('fails where it can not tell', async () => {
    writeFileSync(folder.file('file'), '');
    const store = new PointerStore(fileSessionStore(folder.file('file', 'store')));
    await expect(store.read('p')).rejects.toMatchObject({ code: 'store-failed' });
    await expect(store.write('p', pointer('s'))).rejects.toMatchObject({ code: 'store-failed' });
  });

  it('leaves no temporary file behind where a write fails', async () => {
    const store = fileSessionStore(folder.path);
    await store.set('p', pointer('s'));
    const [name = ''] = readdirSync(folder.path);
    // A directory can't be replaced by a file.
    const other = fileSessionStore(folder.file('other'));
    mkdirSync(folder.file('other', name), { recursive: true });
    chmodSync(folder.file('other'), 0o700);
    await expect(other.set('p', pointer('t'))).rejects.toThrow();
    expect(readdirSync(folder.file('other'))).toEqual([name]);
  });
});
