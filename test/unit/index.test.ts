import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as library from '../../src/index.ts';

// The public surface, name by name: what is added, taken away or renamed here is so for everybody who uses it.

const values = [
  'AcpLauncherError',
  'AgentConnection',
  'AgentLauncher',
  'AgentSession',
  'AgentStartConfig',
  'ClientRequestError',
  'PromptTurn',
  'ResumeFailedError',
  'SessionManager',
  'approveAll',
  'approveReads',
  'askPermission',
  'bufferBlock',
  'defaultLimits',
  'defaultManagerLimits',
  'defaultResumeKeywords',
  'defaultResumePolicy',
  'errorCodes',
  'fileBlock',
  'fileSessionStore',
  'localTerminals',
  'permissionRules',
  'presetNames',
  'rejectAll',
  'resourceLink',
  'textBlock',
  'workspaceFiles',
];

const types = [
  'AgentClient',
  'AgentExit',
  'AgentPreset',
  'AgentPresetName',
  'AgentServerInput',
  'AgentStartConfigInput',
  'AskPermissionOptions',
  'Attachment',
  'BufferBlockOptions',
  'CancelledOutcome',
  'ChatPrompt',
  'ClientContext',
  'ClientRequestHandler',
  'ConnectionEvents',
  'ContextServerInput',
  'EnvironmentOverrides',
  'EnvironmentVariables',
  'ErrorCode',
  'ErrorFacts',
  'FailedResume',
  'FileBlockOptions',
  'FreshReason',
  'JsonObject',
  'LaunchOptions',
  'LaunchStage',
  'LauncherEvents',
  'LauncherLimits',
  'LauncherOptions',
  'LimitOverrides',
  'LocalTerminals',
  'LocalTerminalsOptions',
  'Logger',
  'ManagedTurn',
  'ManagerEvents',
  'ManagerLimits',
  'McpRemoteServerInput',
  'McpServersInput',
  'McpStdioServerInput',
  'ModelProviderConfig',
  'NameValues',
  'NoiseReason',
  'OpenSessionOptions',
  'PermissionCallback',
  'PermissionDecision',
  'PermissionRule',
  'PermissionRulesOptions',
  'Phase',
  'PresetPackage',
  'ProjectSnapshot',
  'PromptOptions',
  'RequestOptions',
  'RequestPermissionHandler',
  'ResourceLinkOptions',
  'ResumeEvidence',
  'ResumeFailureKind',
  'ResumeKeyword',
  'ResumeOutcome',
  'ResumePolicy',
  'ResumeVerdict',
  'RpcErrorFacts',
  'SelectedOption',
  'SessionAction',
  'SessionEvents',
  'SessionGrant',
  'SessionManagerOptions',
  'SessionPointer',
  'SessionRequest',
  'SessionState',
  'SessionStore',
  'SessionUpdateContext',
  'SettingChange',
  'TerminationReport',
  'TurnEvents',
  'TurnOutcome',
  'TurnSummary',
  'UpdatePhase',
  'WorkspaceFiles',
  'WorkspaceFilesOptions',
];

/** The names in the `export { … }` and `export type { … }` statements of the entry. */
function exportedNames(): string[] {
  const source = readFileSync(new URL('../../src/index.ts', import.meta.url), 'utf8');
  return [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== ''),
  );
}

test('the values', () => {
  expect(Object.keys(library).sort()).toEqual(values);
});

test('the types', () => {
  const names = exportedNames().filter((name) => !values.includes(name));
  expect(names.sort()).toEqual(types);
});

test('nothing is exported in another way', () => {
  const source = readFileSync(new URL('../../src/index.ts', import.meta.url), 'utf8');
  expect(source.replaceAll(/^export (?:type )?\{[^}]*\} from '\.\/[^']+';$/gm, '').trim()).toBe('');
});
