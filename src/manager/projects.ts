import { invalidConfig } from '../errors/invalid-config.ts';
import type { ManagedProject } from './managed-project.ts';

/** Projects without an agent are remembered for their modes and options; how many. */
const mostStopped = 10_000;

/** The projects of a manager. */
export class Projects {
  readonly #create: (projectId: string) => ManagedProject;
  /** The longest unused one first. */
  readonly #projects = new Map<string, ManagedProject>();

  constructor(create: (projectId: string) => ManagedProject) {
    this.#create = create;
  }

  find(projectId: string): ManagedProject | undefined {
    return this.#projects.get(projectId);
  }

  /** @throws AcpLauncherError `invalid-config` for an id that is no text. */
  get(projectId: string): ManagedProject {
    if (typeof projectId !== 'string' || projectId === '')
      throw invalidConfig('projectId', 'must be a non-empty text');
    const project = this.#projects.get(projectId) ?? this.#create(projectId);
    this.#projects.delete(projectId);
    this.#projects.set(projectId, project);
    this.#prune();
    return project;
  }

  all(): readonly ManagedProject[] {
    return [...this.#projects.values()];
  }

  /** Forgets it, if nothing uses it. */
  drop(project: ManagedProject): void {
    const isKnown = this.#projects.get(project.projectId) === project;
    if (isKnown && project.isDisposable) this.#projects.delete(project.projectId);
  }

  #prune(): void {
    const surplus = this.#projects.size - mostStopped;
    if (surplus <= 0) return;
    for (const project of this.all().slice(0, -1)) {
      this.drop(project);
      if (this.#projects.size <= mostStopped) return;
    }
  }
}
