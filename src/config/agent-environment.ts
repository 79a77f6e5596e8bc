import { posix, win32 } from 'node:path';
import type { Secret } from '../errors/redactor.ts';
import { secretsFromEnv } from '../errors/secrets-from-env.ts';
import { EnvironmentVariables } from './environment-variables.ts';
import { isInherited } from './inherited-variables.ts';
import {
  expandModelProviderTemplates,
  hasModelProviderTemplate,
  modelProviderEnvironment,
  withoutEmpty,
  type ModelProviderConfig,
} from './model-provider.ts';
import type { AgentPreset } from './presets/agent-preset.ts';
import { invalidConfig } from '../errors/invalid-config.ts';
import { fieldPath } from './validate.ts';

/** Variables to set; `undefined` and `null` remove one that a lower layer has set. */
export type EnvironmentOverrides = Readonly<Record<string, string | null | undefined>>;

/** As {@link EnvironmentOverrides}, checked. */
type Variables = Readonly<Record<string, string | undefined>>;

/** Where an agent's environment comes from. Later fields win over earlier ones. */
export interface AgentEnvironmentRequest {
  /** The host's environment. Read, never changed. */
  readonly hostEnv: NodeJS.ProcessEnv;
  /**
   * `true` inherits everything but `withheldVariables`; a list widens the default by names and `PREFIX_*`
   * patterns; `false` inherits nothing, not even `PATH`. @defaultValue `inheritedVariables` alone
   */
  readonly inheritEnv?: boolean | readonly string[] | undefined;
  /** Directories put in front of the `PATH` that the layers result in. */
  readonly prependPath?: readonly string[] | undefined;
  readonly preset?: AgentPreset | undefined;
  readonly modelProvider?: ModelProviderConfig | undefined;
  readonly agentServerEnv?: EnvironmentOverrides | undefined;
  /** The launch options' own variables. */
  readonly env?: EnvironmentOverrides | undefined;
  readonly projectId: string;
  readonly cwd: string;
  /** @defaultValue `process.platform` */
  readonly platform?: NodeJS.Platform | undefined;
}

export interface AgentEnvironment {
  readonly env: Record<string, string>;
  /** What of it must never be shown. MCP servers have their own: `secretsFromMcpServers`. */
  readonly secrets: Secret[];
}

/**
 * Credentials that shut each other out. A layer that sets one removes the others that lower layers have set:
 * an agent that finds two picks one by a rule of its own, and may send a key to a service that it is not for.
 */
const exclusiveCredentials: readonly (readonly string[])[] = [
  ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
];

/**
 * The whole environment of one agent, made anew for each launch.
 *
 * Lowest first: what is inherited from the host, the preset's variables, the model provider's (with
 * `AGENT_PROJECT_ID` and `AGENT_WORKING_DIR`), the agent server's `env`, the launch options' `env`.
 * @throws `invalid-config` for a name or value that no environment can hold, and for a
 * `{MODEL_PROVIDER_…}` template without a model provider.
 */
export function buildAgentEnvironment(request: AgentEnvironmentRequest): AgentEnvironment {
  const { hostEnv, preset, modelProvider, platform = process.platform } = request;
  const rules = {
    inheritEnv: request.inheritEnv,
    preset,
    hasModelProvider: modelProvider !== undefined,
    platform,
  };
  const inherited = Object.entries(hostEnv).filter(([name]) => isInherited(name, rules));
  const env = new EnvironmentVariables(platform, Object.fromEntries(inherited));

  const layers = [
    preset?.env ?? {},
    modelLayer(request),
    expanded(request.agentServerEnv ?? {}, modelProvider, 'agentServer.env'),
    expanded(request.env ?? {}, modelProvider, 'env'),
  ];
  for (const layer of layers) addLayer(env, layer, platform);
  prependToPath(env, request.prependPath ?? [], platform);

  const result = env.toObject();
  return { env: result, secrets: [...providerSecrets(modelProvider), ...secretsFromEnv(result)] };
}

function modelLayer({ modelProvider, preset, projectId, cwd }: AgentEnvironmentRequest): Variables {
  if (projectId.includes('\0')) throw invalidConfig('projectId', 'must not contain a NUL character');
  return {
    AGENT_PROJECT_ID: projectId,
    AGENT_WORKING_DIR: cwd,
    ...(modelProvider && modelProviderEnvironment(modelProvider)),
    ...(modelProvider && withoutEmpty(preset?.modelEnvironment?.(modelProvider) ?? {})),
  };
}

function addLayer(env: EnvironmentVariables, layer: Variables, platform: NodeJS.Platform): void {
  const added = new EnvironmentVariables(platform, layer);
  for (const group of exclusiveCredentials) {
    if (group.some((name) => (added.get(name) ?? '') !== ''))
      for (const name of group) env.set(name, undefined);
  }
  for (const [name, value] of Object.entries(layer)) env.set(name, value);
}

function expanded(
  variables: EnvironmentOverrides,
  modelProvider: ModelProviderConfig | undefined,
  root: string,
): Variables {
  const entries = Object.entries(variables).map(([name, value]) => {
    const field = fieldPath(root, [name]);
    if (name === '' || /[=\0]/.test(name))
      throw invalidConfig(field, 'is not a name that a variable can have');
    return [name, expandedValue(value, modelProvider, field)] as const;
  });
  return Object.fromEntries(entries);
}

function expandedValue(
  value: unknown,
  modelProvider: ModelProviderConfig | undefined,
  field: string,
): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw invalidConfig(field, 'expected a string, undefined or null');
  if (value.includes('\0')) throw invalidConfig(field, 'must not contain a NUL character');
  if (modelProvider) return expandModelProviderTemplates(value, modelProvider);
  // The agent would take the template for a key, and fail at the first prompt with someone else's error.
  if (hasModelProviderTemplate(value))
    throw invalidConfig(field, 'refers to a model provider, and none is given');
  return value;
}

function prependToPath(
  env: EnvironmentVariables,
  directories: readonly string[],
  platform: NodeJS.Platform,
): void {
  if (directories.length === 0) return;
  const path = platform === 'win32' ? win32 : posix;
  for (const [index, directory] of directories.entries()) {
    // A relative one would be looked up in the project, whose files are not to be trusted with that.
    if (!path.isAbsolute(directory) || directory.includes('\0'))
      throw invalidConfig(fieldPath('prependPath', [index]), 'must be an absolute path');
  }
  const rest = env.get('PATH');
  env.set(
    'PATH',
    [...directories, ...(rest === undefined || rest === '' ? [] : [rest])].join(path.delimiter),
  );
}

/** The key is a secret whatever variable it ends up in; a password in the base URL is found in the environment. */
function providerSecrets(provider: ModelProviderConfig | undefined): Secret[] {
  if (!provider || provider.apiKey === '') return [];
  return [{ name: 'apiKey', value: provider.apiKey, origin: 'explicit' }];
}
