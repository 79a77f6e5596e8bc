import { expect, it, vi } from 'vitest';
import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';
import {
  openProjectSession,
  type ManagedContext,
  type ProjectOpening,
} from '../../../src/manager/open-project-session.ts';

function setUp(open: (controller: AbortController) => Promise<unknown>) {
  const controller = new AbortController();
  const crashes = { add: vi.fn() };
  const context = {
    seats: { take: vi.fn(() => Promise.resolve()) },
    slots: { run: (work: () => Promise<unknown>) => work() },
  } as unknown as ManagedContext;
  const opening = {
    holder: { projectId: 'p' },
    crashes,
    request: { config: {} },
    signal: controller.signal,
    open: () => open(controller),
  } as unknown as ProjectOpening;
  return { controller, crashes, opened: openProjectSession(context, opening) };
}

it('ends a session that was given up in the very moment in which it was ready', async () => {
  const close = vi.fn(() => Promise.resolve());
  const stopped = new AcpLauncherError('closed', 'the project was stopped', { phase: 'shutdown' });
  const { opened } = setUp((controller) => {
    controller.abort(stopped);
    return Promise.resolve({ connection: { close } });
  });
  await expect(opened).rejects.toBe(stopped);
  expect(close).toHaveBeenCalledOnce();
});

it('counts an agent that died as one crash, and nothing else', async () => {
  for (const [code, crashes] of [
    ['agent-exited', 1],
    ['request-failed', 0],
  ] as const) {
    const run = setUp(() => Promise.reject(new AcpLauncherError(code, code, { phase: 'session' })));
    await expect(run.opened).rejects.toMatchObject({ code });
    expect(run.crashes.add).toHaveBeenCalledTimes(crashes);
  }
});
