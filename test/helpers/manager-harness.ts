import { mkdirSync } from 'node:fs';
import { afterEach, expect } from 'vitest';
import type { AgentCommandLine } from '../../fixtures/index.ts';
import { AgentLauncher } from '../../src/agent-launcher.ts';
import type { LauncherOptions } from '../../src/launch-plan.ts';
import type { ManagerEvents } from '../../src/manager/manager-events.ts';
import { SessionManager, type SessionManagerOptions } from '../../src/session-manager.ts';
import { SeenProcess } from './seen-process.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { waitUntil } from './wait-until.ts';

export type EventName = keyof ManagerEvents;

const eventNames = [
  'session-open',
  'resume-retry',
  'resume-fallback',
  'resume-suspect',
  'session-update',
  'turn-start',
  'turn-end',
  'session-close',
  'agent-exit',
  'setting-lost',
  'store-error',
  'pointer-unreadable',
  'listener-error',
] as const satisfies readonly EventName[];

export interface HarnessOptions extends Omit<SessionManagerOptions, 'launcher'> {
  readonly launch?: LauncherOptions;
}

/** A manager under test, and what it did. */
export class ManagedHost {
  readonly manager: SessionManager;
  readonly launcher: AgentLauncher;
  /** Every event, in order. */
  readonly events: { readonly name: EventName; readonly event: Record<string, unknown> }[] = [];
  /** How many processes were started. */
  spawned = 0;
  /** The agents whose sessions were opened. */
  readonly agents: SeenProcess[] = [];

  constructor(agent: AgentCommandLine, { launch, ...options }: HarnessOptions) {
    this.launcher = new AgentLauncher({ ...agent, closeGraceMs: 1_000, terminateGraceMs: 500, ...launch });
    this.launcher.on('stage', (stage) => {
      if (stage === 'spawn') this.spawned += 1;
    });
    this.manager = new SessionManager({ ...options, launcher: this.launcher });
    for (const name of eventNames) {
      this.manager.on(name, (...values) => void this.events.push({ name, event: values[0] }));
    }
    this.manager.on('session-open', ({ session }) => {
      this.agents.push(new SeenProcess(session.connection.pid));
    });
  }

  /** The payloads of one event. */
  told<Name extends EventName>(name: Name): ManagerEvents[Name][0][] {
    return this.events.flatMap((entry) => (entry.name === name ? [entry.event as never] : []));
  }

  /** The names of the events so far, updates left out. */
  order(): EventName[] {
    return this.events.map(({ name }) => name).filter((name) => name !== 'session-update');
  }

  until<Name extends EventName>(name: Name, count = 1): Promise<ManagerEvents[Name][0]> {
    return waitUntil(`event ${name} number ${count}`, () => this.told(name)[count - 1]);
  }
}

/**
 * Managers for the tests of a file. After each test they are shut down, no process of theirs may be left, and no
 * listener may have failed unless the test took the report.
 */
export function managerHarness() {
  const folder = temporaryFolder();
  const hosts: ManagedHost[] = [];
  afterEach(async () => {
    const used = hosts.splice(0);
    await Promise.all(used.map(({ manager }) => manager.shutdown()));
    const left = used.flatMap(({ agents }) => agents).filter(({ isGone }) => !isGone);
    expect(left.map(({ pid }) => pid)).toEqual([]);
  });
  return {
    folder,
    /** Where fixture agents keep their sessions. */
    get store() {
      return folder.file('agent-store');
    },
    /** What fixture agents received. */
    get record() {
      return folder.file('record.jsonl');
    },
    manage(agent: AgentCommandLine, options: HarnessOptions = {}): ManagedHost {
      const host = new ManagedHost(agent, options);
      hosts.push(host);
      return host;
    },
    /** A request for a project, whose directory exists. */
    request<Extra extends object>(extra?: Extra, projectId = 'p1') {
      const projectPath = folder.file(projectId);
      mkdirSync(projectPath, { recursive: true });
      return { projectId, projectPath, ...extra } as { projectId: string; projectPath: string } & Extra;
    },
  };
}
