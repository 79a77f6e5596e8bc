import { realpathSync } from 'node:fs';
import { z } from 'zod';
import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { findExecutable, type IsExecutable } from './find-executable.ts';
import { deepFreeze } from './json-value.ts';
import { agentIdOf, isPackageRunner } from './package-runner.ts';
import type { AgentPreset, PresetPackage } from './presets/agent-preset.ts';
import { findPreset, presetNames } from './presets/presets.ts';
import { invalidConfig } from '../errors/invalid-config.ts';
import { validated } from './validate.ts';

/** An agent given by its command. */
export interface AgentServerInput {
  /** A name of the caller's, or that of a preset, whose knowledge of the agent is used then. */
  readonly agentId?: string | undefined;
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** `undefined` and `null` remove a variable. */
  readonly env?: Readonly<Record<string, string | null | undefined>> | undefined;
}

/** Which agent is asked for; `agentServer` wins over the rest. */
export interface AgentChoice {
  readonly agentServer?: AgentServerInput | undefined;
  /** The name of a preset. @defaultValue `claude-code`, where no command is given either */
  readonly preset?: string | undefined;
  /** Run instead of the command that a preset would look for. */
  readonly command?: string | undefined;
  /** @defaultValue those of the preset, if one is named */
  readonly args?: readonly string[] | undefined;
  readonly agentId?: string | undefined;
}

export interface AgentCommandRequest extends AgentChoice {
  /** The environment that the agent will get; its `PATH` is the one that is searched. */
  readonly env: Readonly<Record<string, string>>;
  /** The version of the Node that npx would run on. @defaultValue ours, if the agent's `PATH` leads to it */
  readonly nodeVersion?: string | undefined;
  /** @defaultValue `process.platform` */
  readonly platform?: NodeJS.Platform | undefined;
  /** @defaultValue a look at the file system */
  readonly isExecutable?: IsExecutable | undefined;
}

/** What is to be run. */
export interface ResolvedAgentCommand {
  readonly agentId: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The environment that was given, unchanged. */
  readonly env: Readonly<Record<string, string>>;
  readonly preset: AgentPreset | undefined;
  /** Whether the command may have to download the agent first. */
  readonly packageRunner: boolean;
  /** Why this command, in words, where the launcher had to choose. */
  readonly note?: string | undefined;
}

const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a NUL character');
const commandText = text.refine((value) => value.trim() !== '', 'must not be empty');
const commandSchema = z.object({ command: commandText, args: z.array(text).optional() });
const agentServerSchema = z.strictObject({
  agentId: z.string().min(1, 'must not be empty').optional(),
  command: commandText,
  args: z.array(text).optional(),
  env: z.record(z.string(), z.string().nullish()).optional(),
});

/**
 * A validated, deeply frozen copy.
 * @throws `invalid-config` naming the field: `agentServer.args[0]`.
 */
export function parseAgentServer(input: AgentServerInput, root = 'agentServer'): AgentServerInput {
  return deepFreeze(validated(agentServerSchema, input, root));
}

/**
 * The preset that applies to a choice, if any: needed before the environment can be built.
 * @throws `invalid-config` listing the known presets.
 */
export function choosePreset({ agentServer, preset, command }: AgentChoice): AgentPreset | undefined {
  if (agentServer)
    return presetNames.map((name) => findPreset(name)).find(({ name }) => name === agentServer.agentId);
  if (preset !== undefined) return findPreset(preset);
  return command === undefined ? findPreset('claude-code') : undefined;
}

/**
 * Decides which command is run. A command that was given is taken as it is, whether it exists or not: the
 * start of the process says what is wrong with it. A preset's own is looked up, npx being the last resort.
 * @throws `invalid-config` for an unknown preset or a bad command, `command-missing` where neither a preset's
 * command nor npx is found.
 */
export function resolveAgentCommand(request: AgentCommandRequest): ResolvedAgentCommand {
  const { agentServer, env } = request;
  const preset = choosePreset(request);
  const given = agentServer ?? commandOf(request, preset);
  if (given) {
    const { command, args = [] } = given;
    const agentId = given.agentId ?? request.agentId ?? preset?.name ?? agentIdOf(command, args);
    return { agentId, command, args, env, preset, packageRunner: isPackageRunner(command, args) };
  }
  if (!preset) throw invalidConfig('command', 'neither a command nor a preset is given');
  return { agentId: request.agentId ?? preset.name, env, preset, ...presetCommand(preset, request) };
}

function commandOf(request: AgentChoice, preset: AgentPreset | undefined): AgentServerInput | undefined {
  if (request.command === undefined) return undefined;
  const { command, args } = validated(commandSchema, { command: request.command, args: request.args });
  return { command, args: args ?? preset?.args };
}

type CommandChoice = Pick<ResolvedAgentCommand, 'command' | 'args' | 'packageRunner' | 'note'>;

function presetCommand(preset: AgentPreset, request: AgentCommandRequest): CommandChoice {
  const { env, platform, isExecutable } = request;
  const args = request.args ?? preset.args;
  const { commandVariable } = preset;
  const named = commandVariable === undefined ? undefined : env[commandVariable];
  if (commandVariable !== undefined && named !== undefined && named !== '') {
    return { command: named, args, packageRunner: false, note: `${commandVariable} names the command` };
  }
  const find = (name: string) => findExecutable(name, env, platform, isExecutable);
  for (const name of preset.commands) {
    const command = find(name);
    if (command !== undefined) return { command, args, packageRunner: false };
  }
  return npxCommand(preset, args, find, request.nodeVersion);
}

function npxCommand(
  preset: AgentPreset,
  args: readonly string[],
  find: (name: string) => string | undefined,
  givenVersion: string | undefined,
): CommandChoice {
  const wanted = preset.commands.map((name) => `"${name}"`).join(', ');
  const npx = find('npx');
  if (npx === undefined) throw missing(preset, `neither ${wanted} nor npx is on the agent's PATH`);
  const version = givenVersion ?? versionOf(find('node'));
  const chosen = choosePackage(preset.packages, version);
  const node = version === undefined ? 'a Node of unknown version' : `Node ${version.replace(/^v/, '')}`;
  if (!chosen)
    throw missing(preset, `${wanted} is not on the agent's PATH, and no known version runs on ${node}`);
  const { spec, companions = [] } = chosen;
  const install =
    companions.length === 0
      ? [spec]
      : [...[spec, ...companions].flatMap((name) => ['-p', name]), preset.commands[0] ?? preset.name];
  const note = `${wanted} is not on the agent's PATH: npx runs ${spec}, the newest known version that runs on ${node}`;
  return { command: npx, args: ['-y', ...install, ...args], packageRunner: true, note };
}

/** The newest package that runs on this version of Node; of an unknown one, the least demanding. */
function choosePackage(
  packages: readonly PresetPackage[],
  version: string | undefined,
): PresetPackage | undefined {
  if (version === undefined) return packages.toSorted((a, b) => a.minNodeMajor - b.minNodeMajor)[0];
  const major = Number.parseInt(version.replace(/^v/, ''), 10);
  return packages.find(({ minNodeMajor }) => major >= minNodeMajor);
}

/** Only our own Node's version is known without running it. */
function versionOf(node: string | undefined): string | undefined {
  try {
    const isOurs = node !== undefined && realpathSync(node) === realpathSync(process.execPath);
    return isOurs ? process.versions.node : undefined;
  } catch {
    return undefined;
  }
}

function missing(preset: AgentPreset, problem: string): AcpLauncherError {
  const command = preset.commands[0] ?? preset.name;
  return new AcpLauncherError('command-missing', `${preset.name}: ${problem}`, { phase: 'config', command });
}
