import {
  AgentLauncher,
  SessionManager,
  type AgentClient,
  type AgentConnection,
  type AgentSession,
  type AgentStartConfigInput,
  type ChatPrompt,
  type LauncherOptions,
  type ModelProviderConfig,
  type SessionManagerOptions,
  type SessionRequest,
} from 'acp-launcher';
import { apiKey, modelName, type CatalogAgent } from './catalog/catalog-agent.ts';
import type { Folders } from './isolate.ts';
import type { MockModels } from './mock-models.ts';
import type { LeftoverWatch } from './processes.ts';

/** What a scenario works with: one agent, its models, and an empty place of its own. */
export class ScenarioContext {
  readonly agent: CatalogAgent;
  readonly folders: Folders;
  readonly models: MockModels;
  readonly leftovers: LeftoverWatch;
  readonly modelProvider: ModelProviderConfig;
  readonly #closers: (() => Promise<unknown>)[] = [];

  constructor(parts: Pick<ScenarioContext, 'agent' | 'folders' | 'models' | 'leftovers'>) {
    this.agent = parts.agent;
    this.folders = parts.folders;
    this.models = parts.models;
    this.leftovers = parts.leftovers;
    this.modelProvider = modelProviderFor(parts.agent, parts.models.url);
  }

  launcher(options: LauncherOptions = {}): AgentLauncher {
    const { preset, environment, loginArgs } = this.agent;
    const args = loginArgs?.(this.models.url);
    return new AgentLauncher({
      agent: preset,
      ...(args === undefined ? {} : { args }),
      ...options,
      env: { ...environment, ...options.env },
    });
  }

  /** Launches in the project's folder; whatever the scenario leaves open is closed after it. */
  async launch(
    startConfig: AgentStartConfigInput = {},
    client: AgentClient = {},
    options: LauncherOptions = {},
  ): Promise<AgentSession> {
    const launcher = this.launcher(options);
    const session = await launcher.launch(
      'project',
      this.folders.project,
      this.modelProvider,
      startConfig,
      client,
    );
    this.#closers.push(() => session.close());
    return session;
  }

  /** The same without anything to log in with. */
  async launchWithoutLogin(): Promise<AgentSession> {
    const { preset, environment } = this.agent;
    const launcher = new AgentLauncher({ agent: preset, env: environment });
    const session = await launcher.launch('project', this.folders.project, undefined, {}, {});
    this.#closers.push(() => session.close());
    return session;
  }

  async connect(): Promise<AgentConnection> {
    const connection = await this.launcher().connect(
      'project',
      this.folders.project,
      this.modelProvider,
      {},
      {},
    );
    this.#closers.push(() => connection.close());
    return connection;
  }

  /** A request of the one project that there is. */
  request<Fields extends Partial<ChatPrompt>>(fields: Fields): SessionRequest & Fields {
    const { folders, modelProvider } = this;
    return { projectId: 'project', projectPath: folders.project, modelProvider, ...fields };
  }

  manager(options: Partial<SessionManagerOptions> = {}): SessionManager {
    const manager = new SessionManager({ launcher: this.launcher(), ...options });
    this.#closers.push(() => manager.shutdown());
    return manager;
  }

  /** Closes what is still open; for the end of the scenario, however it ended. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#closers.map((close) => close()));
  }
}

function modelProviderFor({ api }: CatalogAgent, modelsUrl: string): ModelProviderConfig {
  const provider = { id: 'mock', name: 'Mock', apiKey, defaultModel: modelName };
  if (api === 'anthropic') return { ...provider, baseUrl: modelsUrl, apiProtocol: 'anthropic' };
  if (api === 'gemini') return { ...provider, baseUrl: modelsUrl };
  return { ...provider, baseUrl: `${modelsUrl}/v1`, apiProtocol: 'openai' };
}
