import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import KeyvRedis from '@keyv/redis';
import Keyv from 'keyv';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { acproxyAgent } from '../../../fixtures/index.ts';
import { bundleScript } from '../../helpers/namespace.ts';
import { managerHarness } from '../../helpers/manager-harness.ts';
import { RedisServer } from '../../helpers/redis-server.ts';
import { SeenProcess } from '../../helpers/seen-process.ts';
import { waitUntil } from '../../helpers/wait-until.ts';
import type { RunnerOrder } from './scripts/runner.ts';

const harness = managerHarness();
let folder = '';
let bundle = '';
const runners: ChildProcess[] = [];
let redis: RedisServer;

beforeAll(async () => {
  redis = await RedisServer.start();
  folder = await mkdtemp(join(tmpdir(), 'acp-launcher-runner-'));
  bundle = join(folder, 'runner.mjs');
  await bundleScript(join(import.meta.dirname, 'scripts/runner.ts'), bundle);
});
afterAll(async () => {
  await (redis as RedisServer | undefined)?.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => {
  for (const runner of runners.splice(0)) runner.kill('SIGKILL');
});

type Told = Partial<Record<'session' | 'resume' | 'answer' | 'update', string>> & {
  readonly agentPid?: number;
  readonly done?: boolean;
};

/** Another process, with a manager of its own. */
function startRunner(order: RunnerOrder) {
  const child = spawn(process.execPath, ['--enable-source-maps', bundle, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  runners.push(child);
  const told: Told[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => void told.push(JSON.parse(line) as Told));
  const find = <Key extends keyof Told>(key: Key): Promise<NonNullable<Told[Key]>> =>
    waitUntil(
      `the runner to tell its ${key}`,
      () => told.find((line) => line[key] !== undefined)?.[key] ?? undefined,
    );
  return { child, find };
}

const stores = {
  'the file store': () => ({ folder: harness.folder.file('pointers') }),
  Redis: () => ({ redis: redis.url }),
};

describe.each(Object.entries(stores))('on %s', (_name, store) => {
  it('a project goes on in another runner, after the first was killed in the middle of its first turn', async () => {
    const projectPath = harness.folder.file('p1');
    mkdirSync(projectPath);
    const order = (chunkDelayMs: number, ...prompts: string[]): RunnerOrder => ({
      store: store(),
      agent: acproxyAgent({ store: harness.store, chunkSize: 1, chunkDelayMs }),
      projectPath,
      prompts,
    });
    const first = startRunner(order(100, '记住数字 42'));
    await first.find('update');
    const sessionId = await first.find('session');
    const firstAgent = new SeenProcess(await first.find('agentPid'));
    await pointerWritten(store());
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    await waitUntil('the agent to follow its runner', () => firstAgent.isGone);

    const second = startRunner(order(0, '我之前说的数字是多少？'));
    expect(await second.find('answer')).toContain('42');
    expect(await second.find('resume')).toBe('resumed');
    expect(await second.find('session')).toBe(sessionId);
    await second.find('done');
    // And back again, after a stop that was none.
    const third = startRunner(order(0, '我之前说的数字是多少？'));
    expect(await third.find('answer')).toContain('42');
    await third.find('done');
  });
});

describe('Redis', () => {
  const keyv = () => {
    const store = new Keyv({ store: new KeyvRedis(redis.url), throwOnErrors: true });
    store.on('error', () => undefined);
    return store;
  };

  it('that goes away is an error; the live session goes on, and nothing is lost', async () => {
    const store = keyv();
    const host = harness.manage(acproxyAgent({ store: harness.store, chunkDelayMs: 0 }), {
      store,
    });
    await (
      await host.manager.prompt(harness.request({ prompt: '记住数字 42' }, 'live'))
    ).turn.result;
    await redis.stop();
    await expect(host.manager.prompt(harness.request({ prompt: 'Hello' }, 'new'))).rejects.toMatchObject({
      code: 'store-failed',
    });
    const { action, turn } = await host.manager.prompt(
      harness.request({ prompt: '我之前说的数字是多少？' }, 'live'),
    );
    expect([action, await turn.text()]).toEqual(['reused', expect.stringContaining('42')]);
    // It would wait for an answer.
    void (store.store as KeyvRedis<unknown>).disconnect(true).catch(() => undefined);
  });
});

/** The runner writes at the first update, a moment after it tells of it. */
async function pointerWritten(store: RunnerOrder['store']): Promise<void> {
  if ('folder' in store) {
    const { fileSessionStore } = await import('../../../src/session/file-session-store.ts');
    const files = fileSessionStore(store.folder);
    await waitUntil('the pointer', async () => (await files.get('p1')) !== undefined);
    return;
  }
  const keyv = new Keyv({ store: new KeyvRedis(store.redis), throwOnErrors: true });
  await waitUntil('the pointer', async () => (await keyv.get('p1')) !== undefined);
  await keyv.disconnect();
}
