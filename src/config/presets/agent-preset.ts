import type { LimitOverrides } from '../launcher-options.ts';
import type { ModelProviderConfig } from '../model-provider.ts';

/** A published version of an agent that `npx` can run. */
export interface PresetPackage {
  /** What npx installs and runs: name and exact version. */
  readonly spec: string;
  /** What has to be installed beside it. */
  readonly companions?: readonly string[] | undefined;
  /** The oldest major version of Node that its maker allows, and that it was seen to run on. */
  readonly minNodeMajor: number;
}

/**
 * What the launcher knows about one family of agents. Data only: a preset runs nothing, and adding an agent
 * is adding one of these.
 */
export interface AgentPreset {
  /** What `agent: '…'` selects; also the agent's id. */
  readonly name: string;
  /** The variable that names the executable outright; passes from the host to the agent. */
  readonly commandVariable?: string | undefined;
  /** Looked up on the agent's `PATH`, in this order. */
  readonly commands: readonly string[];
  readonly args: readonly string[];
  /** What npx runs where no command is found, newest first: the first that runs on npx's Node. */
  readonly packages: readonly PresetPackage[];
  /** The layer just above what is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** The vendor's own variables (names, `PREFIX_*`): they pass from the host where no model provider is given. */
  readonly vendorVariables: readonly string[];
  /** Where the agent keeps its sessions and settings: they pass always, or a resume would look elsewhere. */
  readonly stateVariables: readonly string[];
  /** What a model provider becomes for this agent, beyond the variables that every agent gets. */
  readonly modelEnvironment?: ((provider: ModelProviderConfig) => Record<string, string>) | undefined;
  /** `meta`: resumes by the hint in `session/new`. `native`: ignores the hint, and offers resume or load. */
  readonly resumeStrategy: 'meta' | 'native';
  /** Where the agent needs other limits than the defaults; what the caller sets wins. */
  readonly limits?: LimitOverrides | undefined;
}
