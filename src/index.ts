export { AgentConnection, type ConnectionEvents, type OpenSessionOptions } from './agent-connection.ts';
export { AgentLauncher, type LauncherEvents, type LaunchStage } from './agent-launcher.ts';
export { AgentSession, type PromptOptions, type SessionEvents } from './agent-session.ts';
export type {
  AgentClient,
  ClientContext,
  ClientRequestHandler,
  SessionUpdateContext,
} from './client/agent-client.ts';
export type { Attachment } from './client/attachments.ts';
export { ClientRequestError } from './client/client-request-error.ts';
export {
  bufferBlock,
  fileBlock,
  resourceLink,
  textBlock,
  type BufferBlockOptions,
  type FileBlockOptions,
  type ResourceLinkOptions,
} from './client/content-blocks.ts';
export { localTerminals, type LocalTerminals, type LocalTerminalsOptions } from './client/local-terminals.ts';
export type { PermissionDecision, SelectedOption } from './client/choose-permission-option.ts';
export type { PermissionRule } from './client/permission-rules.ts';
export {
  approveAll,
  approveReads,
  askPermission,
  permissionRules,
  rejectAll,
  type AskPermissionOptions,
  type PermissionCallback,
  type PermissionRulesOptions,
  type RequestPermissionHandler,
} from './client/permissions.ts';
export type { EnvironmentVariables } from './client/terminal-environment.ts';
export { workspaceFiles, type WorkspaceFiles, type WorkspaceFilesOptions } from './client/workspace-files.ts';
export type { AgentServerInput } from './config/agent-command.ts';
export type { EnvironmentOverrides } from './config/agent-environment.ts';
export { AgentStartConfig, type AgentStartConfigInput } from './config/agent-start-config.ts';
export type { JsonObject } from './config/json-value.ts';
export { defaultLimits, type LauncherLimits, type LimitOverrides } from './config/launcher-options.ts';
export { defaultManagerLimits, type ManagerLimits } from './config/manager-options.ts';
export type {
  ContextServerInput,
  McpRemoteServerInput,
  McpServersInput,
  McpStdioServerInput,
  NameValues,
} from './config/mcp-servers.ts';
export type { ModelProviderConfig } from './config/model-provider.ts';
export type { AgentPreset, PresetPackage } from './config/presets/agent-preset.ts';
export { presetNames, type AgentPresetName } from './config/presets/presets.ts';
export { AcpLauncherError, type ErrorFacts, type RpcErrorFacts } from './errors/acp-launcher-error.ts';
export { errorCodes, type ErrorCode, type Phase } from './errors/error-codes.ts';
export {
  ResumeFailedError,
  type ResumeEvidence,
  type ResumeFailureKind,
} from './errors/resume-failed-error.ts';
export type { LauncherOptions, LaunchOptions } from './launch-plan.ts';
export type { Logger, ManagerEvents, SessionAction } from './manager/manager-events.ts';
export type { ProjectSnapshot } from './manager/project-snapshot.ts';
export type { ChatPrompt, ManagedTurn, SessionGrant, SessionRequest } from './manager/session-request.ts';
export type { AgentExit } from './process/agent-process.ts';
export type { TerminationReport } from './process/terminate-agent.ts';
export { SessionManager, type SessionManagerOptions } from './session-manager.ts';
export type { NoiseReason } from './wire/parse-line.ts';
export { fileSessionStore } from './session/file-session-store.ts';
export { PromptTurn, type TurnEvents, type TurnOutcome } from './session/prompt-turn.ts';
export type { RequestOptions } from './session/request-options.ts';
export type { FreshReason, ResumeOutcome } from './session/resume-outcome.ts';
export { defaultResumeKeywords, type ResumeKeyword } from './session/resume-keywords.ts';
export {
  defaultResumePolicy,
  type FailedResume,
  type ResumePolicy,
  type ResumeVerdict,
} from './session/resume-policy.ts';
export type { SettingChange } from './session/session-settings.ts';
export type { SessionState } from './session/session-state.ts';
export type { SessionPointer, SessionStore } from './session/session-store.ts';
export type { CancelledOutcome, TurnSummary } from './session/turn-record.ts';
export type { UpdatePhase } from './session/update-delivery.ts';
