import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { AgentLauncher } from '../agent-launcher.ts';
import type { AgentSession } from '../agent-session.ts';
import type { AgentClient } from '../client/agent-client.ts';
import type { Attachment } from '../client/attachments.ts';
import { mergeClients } from '../client/switchable-client.ts';
import type { AgentServerInput } from '../config/agent-command.ts';
import { AgentStartConfig, type AgentStartConfigInput } from '../config/agent-start-config.ts';
import { configurationFingerprints } from '../config/fingerprint.ts';
import type { McpServersInput } from '../config/mcp-servers.ts';
import type { ModelProviderConfig } from '../config/model-provider.ts';
import type { LaunchPlan } from '../launch-plan.ts';
import type { WantedSession } from '../session/decide-session.ts';
import type { PromptTurn } from '../session/prompt-turn.ts';
import type { SessionAction } from './manager-events.ts';

/** A wish for a project's session. */
export interface SessionRequest {
  readonly projectId: string;
  readonly projectPath: string;
  /** The conversation to go on with; by default the project's own. */
  readonly sessionId?: string | undefined;
  /** Begins a new conversation; the old one stays reachable by its id. */
  readonly newSession?: boolean | undefined;
  readonly modelProvider?: ModelProviderConfig | undefined;
  /** Used when a session is opened; another one than before restarts nothing by itself. */
  readonly systemPrompt?: string | undefined;
  readonly mcpServers?: McpServersInput | undefined;
  readonly agentServer?: AgentServerInput | undefined;
  /** Anything else of the session's configuration; the fields beside it win. Used when a session is opened. */
  readonly startConfig?: Omit<AgentStartConfigInput, 'resumeSessionId'> | undefined;
  /**
   * What the agent may ask for while it serves this request; handlers that it lacks are the manager's own. An agent
   * is told what it may ask for when it is started: what a later client can't serve is refused.
   */
  readonly client?: AgentClient | undefined;
  /** Lets a changed configuration end a running turn. @defaultValue false: it is refused with `session-busy` */
  readonly evenDuringTurn?: boolean | undefined;
  /** Ends the wait; a launch that somebody else waits for goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** A prompt for a project. */
export interface ChatPrompt extends SessionRequest {
  readonly prompt: string | readonly ContentBlock[];
  /** Travels as `_meta.request_id`. */
  readonly requestId?: string | undefined;
  /** Files and buffers that become content blocks behind the prompt. */
  readonly attachments?: readonly Attachment[] | undefined;
}

/** A session and how it came to serve the request. */
export interface SessionGrant {
  readonly session: AgentSession;
  readonly action: SessionAction;
}

/** A turn with the session that runs it. */
export interface ManagedTurn extends SessionGrant {
  readonly turn: PromptTurn;
}

/** A request that was checked, ready to be carried out. */
export interface PlannedRequest {
  readonly path: string;
  readonly plan: LaunchPlan;
  readonly config: AgentStartConfig;
  readonly modelProvider: ModelProviderConfig | undefined;
  readonly client: AgentClient;
  readonly wanted: WantedSession;
}

/** @throws AcpLauncherError `invalid-config`, `cwd-missing`, `command-missing`. */
export async function planRequest(
  launcher: AgentLauncher,
  managerClient: AgentClient,
  request: SessionRequest,
): Promise<PlannedRequest> {
  const { projectId, projectPath: path, modelProvider, startConfig } = request;
  const { systemPrompt, mcpServers, agentServer } = request;
  const given = Object.entries({ systemPrompt, mcpServers, agentServer }).filter(
    ([, value]) => value !== undefined,
  );
  const config = new AgentStartConfig({ ...startConfig, ...Object.fromEntries(given) }).withoutResume();
  const plan = await launcher.planLaunch(projectId, path, modelProvider, config);
  const { command, args, env, agentId } = plan.command;
  const fingerprint = configurationFingerprints({
    command,
    args,
    env,
    mcpServers: config.mcpServers,
    modelProvider: plan.modelProvider,
    session: config.agentServer,
  });
  const { sessionId, newSession, evenDuringTurn } = request;
  return {
    path,
    plan,
    config,
    modelProvider,
    client: mergeClients(managerClient, request.client),
    wanted: { projectId, sessionId, newSession, evenDuringTurn, cwd: plan.cwd, agentId, fingerprint },
  };
}
