import { choosePreset, resolveAgentCommand, type ResolvedAgentCommand } from './config/agent-command.ts';
import { buildAgentEnvironment, type EnvironmentOverrides } from './config/agent-environment.ts';
import { AgentStartConfig, type AgentStartConfigInput } from './config/agent-start-config.ts';
import { defaultLimits, resolveLimits, type LauncherLimits } from './config/launcher-options.ts';
import { secretsFromMcpServers } from './config/mcp-servers.ts';
import { parseModelProvider, type ModelProviderConfig } from './config/model-provider.ts';
import { checkOptions, checkText, numberKinds } from './internal/check-input.ts';
import { canonicalDirectory } from './config/project-directory.ts';
import { invalidConfig } from './errors/invalid-config.ts';
import { AcpLauncherError } from './errors/acp-launcher-error.ts';
import type { Secret } from './errors/redactor.ts';

/** How agents are started. All limits of {@link LauncherLimits} are options too. */
export interface LauncherOptions extends Partial<LauncherLimits> {
  /** A preset by name. @defaultValue `claude-code`, where no `command` is given */
  readonly agent?: string | undefined;
  /** The agent's command, instead of a preset's own. */
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** The name under which sessions of this agent are remembered. @defaultValue the preset's name, or one made of the command */
  readonly agentId?: string | undefined;
  /** Variables for the agent, above everything else; `undefined` removes one. */
  readonly env?: EnvironmentOverrides | undefined;
  /** `true`: inherit everything but what is never inherited; a list: the default list and these. @defaultValue the allow-list */
  readonly inheritEnv?: boolean | readonly string[] | undefined;
  /** Directories put in front of the agent's `PATH`. */
  readonly prependPath?: readonly string[] | undefined;
  /** Creates the project's directory where it is missing. @defaultValue false */
  readonly createProjectDir?: boolean | undefined;
  /** Called with once when the agent asks for it at session set-up; never an interactive login by itself. */
  readonly authMethodId?: string | undefined;
  /**
   * Also ends agents that ignore the end of stdin when this process is killed outright, or ends around a launcher in a
   * worker thread, which hears neither signals nor the exit. Linux only; one small shell per process.
   * @defaultValue false
   */
  readonly orphanGuard?: boolean | undefined;
  /** Every line of the wire, redacted: `sent` to the agent, `received` from it. For debugging. */
  readonly onWireLine?:
    ((line: { projectId: string; direction: 'sent' | 'received'; text: string }) => void) | undefined;
}

/** Options of one launch; `env` and limits go above the launcher's own. */
export interface LaunchOptions extends Partial<LauncherLimits> {
  /** Covers the launch: what was started is gone when the promise rejects. Does not end the session later. */
  readonly signal?: AbortSignal | undefined;
  readonly env?: EnvironmentOverrides | undefined;
}

/** What a launch is asked for. */
export interface LaunchRequest {
  readonly projectId: string;
  readonly path: string;
  readonly modelProvider: ModelProviderConfig | undefined;
  readonly startConfig: AgentStartConfig | AgentStartConfigInput;
  readonly options?: LaunchOptions | undefined;
}

/** What a launch will do, decided before anything is started. */
export interface LaunchPlan {
  readonly projectId: string;
  /** Canonical. */
  readonly cwd: string;
  readonly command: ResolvedAgentCommand;
  readonly limits: LauncherLimits;
  readonly secrets: readonly Secret[];
  readonly modelProvider: ModelProviderConfig | undefined;
}

/**
 * Decides everything that can be decided before a process is started.
 *
 * @throws AcpLauncherError `invalid-config`, `cwd-missing`, `command-missing`, `timeout`, `aborted`.
 */
export async function planLaunch(launcher: LauncherOptions, request: LaunchRequest): Promise<LaunchPlan> {
  const { projectId, path, modelProvider, startConfig, options = {} } = request;
  if (typeof projectId !== 'string' || projectId === '') {
    throw invalidConfig('projectId', 'must be a non-empty text');
  }
  checkOptions(options, launchOptionKinds, 'options.');
  const { agent: preset, command, args, agentId, inheritEnv, prependPath, createProjectDir } = launcher;
  const { agentServer, mcpServers } = asStartConfig(startConfig);
  const provider = modelProvider === undefined ? undefined : parseModelProvider(modelProvider);
  const chosen = { agentServer, preset, command, args, agentId };
  const chosenPreset = choosePreset(chosen);
  const limits = resolveLimits({ ...chosenPreset?.limits, ...limitsOf(launcher), ...limitsOf(options) });
  const cwd = await canonicalDirectory(path, {
    timeoutMs: limits.requestTimeoutMs,
    signal: options.signal,
    onAbort: abortedBeforeStart,
    create: createProjectDir === true,
  });
  const { env, secrets } = buildAgentEnvironment({
    hostEnv: process.env,
    inheritEnv,
    prependPath,
    preset: chosenPreset,
    modelProvider: provider,
    agentServerEnv: agentServer?.env,
    env: { ...launcher.env, ...options.env },
    projectId,
    cwd,
  });
  return {
    projectId,
    cwd,
    command: resolveAgentCommand({ ...chosen, env }),
    limits,
    secrets: [...secrets, ...secretsFromMcpServers(mcpServers)],
    modelProvider: provider,
  };
}

/** The error of a launch whose signal was aborted before there was an agent. */
export function abortedBeforeStart(reason: unknown): AcpLauncherError {
  const message = 'the caller aborted before the agent was started';
  return new AcpLauncherError('aborted', message, { phase: 'spawn', method: 'spawn', cause: reason });
}

export function asStartConfig(input: AgentStartConfig | AgentStartConfigInput): AgentStartConfig {
  return input instanceof AgentStartConfig ? input : new AgentStartConfig(input);
}

const limitKinds = numberKinds(defaultLimits);
const launchOptionKinds = { ...limitKinds, signal: 'signal', env: 'object' } as const;
const launcherOptionKinds = {
  ...limitKinds,
  agent: 'text',
  command: 'text',
  args: 'list',
  agentId: 'text',
  env: 'object',
  inheritEnv: ['flag', 'list'],
  prependPath: 'list',
  createProjectDir: 'flag',
  authMethodId: 'text',
  orphanGuard: 'flag',
  onWireLine: 'function',
} as const;

/** Refuses wrong options before anything is launched with them. @throws AcpLauncherError `invalid-config` */
export function checkLauncherOptions(options: LauncherOptions): void {
  checkOptions(options, launcherOptionKinds);
  if (options.command !== undefined) checkText(options.command, 'command');
  resolveLimits(limitsOf(options));
  choosePreset({ preset: options.agent, command: options.command });
}

/** The limits among the options; those that are there but undefined must not hide what stands below them. */
function limitsOf(options: Partial<LauncherLimits>): Partial<LauncherLimits> {
  const isLimit = ([name, value]: [string, unknown]) => name in defaultLimits && value !== undefined;
  return Object.fromEntries(Object.entries(options).filter(isLimit));
}
