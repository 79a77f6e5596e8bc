import type {
  AgentCapabilities,
  ClientContext as SdkContext,
  ContentBlock,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionInfo,
  ResourceLink,
  SessionNotification,
  SessionUpdate,
  ToolCall,
  UsageUpdate,
} from '@agentclientprotocol/sdk';
import { expectTypeOf, test } from 'vitest';
import type {
  approveAll,
  askPermission,
  bufferBlock,
  fileBlock,
  localTerminals,
  permissionRules,
  resourceLink,
  textBlock,
  workspaceFiles,
  AcpLauncherError,
  AgentClient,
  AgentConnection,
  AgentExit,
  CancelledOutcome,
  ClientContext,
  AgentLauncher,
  AgentSession,
  AgentStartConfig,
  AgentStartConfigInput,
  ErrorCode,
  LaunchOptions,
  McpServersInput,
  ModelProviderConfig,
  PermissionDecision,
  PermissionRule,
  Phase,
  PromptOptions,
  PromptTurn,
  ResumeOutcome,
  SessionEvents,
  SessionState,
  TerminationReport,
  TurnEvents,
  TurnOutcome,
  TurnSummary,
} from '../../src/index.ts';

// Checked by the compiler (`npm run typecheck`); at run time there is nothing to see.

test('a launch takes what the user asked for, and gives a session', () => {
  type Launch = Parameters<AgentLauncher['launch']>;
  expectTypeOf<Launch['length']>().toEqualTypeOf<5 | 6>();
  expectTypeOf<Launch[0]>().toEqualTypeOf<string>();
  expectTypeOf<Launch[1]>().toEqualTypeOf<string>();
  expectTypeOf<Launch[2]>().toEqualTypeOf<ModelProviderConfig | undefined>();
  expectTypeOf<AgentStartConfig>().toExtend<Launch[3]>();
  expectTypeOf<AgentStartConfigInput>().toExtend<Launch[3]>();
  expectTypeOf<Launch[4]>().toEqualTypeOf<AgentClient>();
  expectTypeOf<Launch[5]>().toEqualTypeOf<LaunchOptions | undefined>();
  expectTypeOf<AgentLauncher['launch']>().returns.resolves.toEqualTypeOf<AgentSession>();
  expectTypeOf<typeof AgentLauncher.launch>().returns.resolves.toEqualTypeOf<AgentSession>();
  expectTypeOf<AgentLauncher['connect']>().returns.resolves.toEqualTypeOf<AgentConnection>();
  expectTypeOf<LaunchOptions['signal']>().toEqualTypeOf<AbortSignal | undefined>();
  // The start configuration is the only source of a resume.
  expectTypeOf<LaunchOptions>().not.toHaveProperty('sessionId');
  expectTypeOf<AgentStartConfigInput['resumeSessionId']>().toEqualTypeOf<string | undefined>();
});

test('a session', () => {
  expectTypeOf<AgentSession['prompt']>().parameter(0).toEqualTypeOf<string | readonly ContentBlock[]>();
  expectTypeOf<AgentSession['prompt']>().parameter(1).toEqualTypeOf<PromptOptions | undefined>();
  expectTypeOf<AgentSession['prompt']>().returns.toEqualTypeOf<PromptTurn>();
  expectTypeOf<AgentSession['cancel']>().returns.resolves.toEqualTypeOf<void>();
  expectTypeOf<AgentSession['close']>().returns.resolves.toEqualTypeOf<void>();
  expectTypeOf<AgentSession>().toExtend<AsyncDisposable>();
  expectTypeOf<AgentSession['closed']>().resolves.toEqualTypeOf<void>();
  expectTypeOf<AgentSession['resume']>().toEqualTypeOf<ResumeOutcome>();
  expectTypeOf<AgentSession['state']>().toEqualTypeOf<SessionState>();
  expectTypeOf<AgentSession['activeTurn']>().toEqualTypeOf<PromptTurn | undefined>();
  expectTypeOf<AgentSession['setMode']>().toBeCallableWith('code');
  expectTypeOf<AgentSession['setConfigOption']>().toBeCallableWith('thinking', true);
  expectTypeOf<AgentSession['setMode']>().toBeCallableWith('code', { signal: new AbortController().signal });
  expectTypeOf<AgentSession['setConfigOption']>().parameter(1).toEqualTypeOf<string | boolean>();
  expectTypeOf<PromptOptions['signal']>().toEqualTypeOf<AbortSignal | undefined>();
  expectTypeOf<keyof PromptOptions>().toEqualTypeOf<
    'signal' | 'requestId' | 'meta' | 'promptTimeoutMs' | 'promptIdleTimeoutMs'
  >();
});

test('the state of a session is what has been said, and read-only', () => {
  expectTypeOf<Partial<SessionState>>().toEqualTypeOf<SessionState>();
  expectTypeOf<Readonly<SessionState>>().toEqualTypeOf<SessionState>();
  expectTypeOf<Required<SessionState>['modes']['currentModeId']>().toEqualTypeOf<string>();
  expectTypeOf<Required<SessionState>['usage']>().toEqualTypeOf<Omit<UsageUpdate, 'sessionUpdate'>>();
  expectTypeOf<SessionState['title']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<SessionState['availableCommands']>()
    .extract<readonly unknown[]>()
    .items.toHaveProperty('name');
  expectTypeOf<SessionState['plan']>().extract<readonly unknown[]>().items.toHaveProperty('content');
  expectTypeOf<SessionState['configOptions']>().extract<readonly unknown[]>().items.toHaveProperty('id');
});

test('the outcome of a resume is a closed union', () => {
  expectTypeOf<ResumeOutcome['status']>().toEqualTypeOf<'fresh' | 'resumed' | 'ignored' | 'fell-back'>();
  type FellBack = Extract<ResumeOutcome, { status: 'fell-back' }>;
  expectTypeOf<FellBack['requestedSessionId']>().toEqualTypeOf<string>();
  expectTypeOf<FellBack['sessionId']>().toEqualTypeOf<string>();
  expectTypeOf<FellBack['error']>().toEqualTypeOf<AcpLauncherError>();
  expectTypeOf<Extract<ResumeOutcome, { status: 'ignored' }>['nativeMethod']>().toEqualTypeOf<
    'session/resume' | 'session/load' | undefined
  >();
});

test('a turn is an async iterable beside its result, and no thenable', () => {
  expectTypeOf<PromptTurn>().toExtend<AsyncIterable<SessionUpdate>>();
  expectTypeOf<PromptTurn>().not.toExtend<PromiseLike<unknown>>();
  expectTypeOf<PromptTurn['result']>().toEqualTypeOf<Promise<PromptResponse>>();
  expectTypeOf<PromptTurn['text']>().returns.resolves.toEqualTypeOf<string>();
  expectTypeOf<PromptTurn['toolCalls']>().returns.resolves.toEqualTypeOf<ToolCall[]>();
  expectTypeOf<PromptTurn['cancel']>().returns.resolves.toEqualTypeOf<void>();
  expectTypeOf<PromptTurn['summary']>().toEqualTypeOf<TurnSummary>();
  expectTypeOf<PromptTurn['state']>().toEqualTypeOf<'queued' | 'running' | 'settled'>();
  expectTypeOf<PromptTurn['textSoFar']>().toEqualTypeOf<string>();
  expectTypeOf<TurnSummary['cancelled']>().toEqualTypeOf<CancelledOutcome | undefined>();
  expectTypeOf<TurnSummary['stopReason']>().toEqualTypeOf<string | undefined>();
});

test('the events of a turn', () => {
  expectTypeOf<keyof TurnEvents>().toEqualTypeOf<'start' | 'update' | 'stalled' | 'end'>();
  expectTypeOf<TurnEvents['update']>().toEqualTypeOf<readonly [update: SessionUpdate]>();
  expectTypeOf<TurnEvents['end']>().toEqualTypeOf<readonly [outcome: TurnOutcome]>();
  expectTypeOf<TurnOutcome>().toEqualTypeOf<
    { readonly response: PromptResponse } | { readonly error: unknown }
  >();
});

test('events are typed by their name, and what removes a listener comes back', () => {
  type On = <Name extends keyof SessionEvents>(
    name: Name,
    listener: (...values: SessionEvents[Name]) => unknown,
  ) => () => void;
  expectTypeOf<AgentSession['on']>().toEqualTypeOf<On>();
  expectTypeOf<SessionEvents['turn-start']>().toEqualTypeOf<readonly [turn: PromptTurn]>();
  expectTypeOf<SessionEvents['update']>().toEqualTypeOf<
    readonly [update: SessionUpdate, context: { readonly phase: 'turn' | 'outside' | 'replay' }]
  >();
  expectTypeOf<keyof SessionEvents>().toEqualTypeOf<
    | 'turn-start'
    | 'turn-end'
    | 'update'
    | 'stalled'
    | 'client-requests'
    | 'cancel-ignored'
    | 'setting'
    | 'listener-error'
    | 'close'
  >();
  expectTypeOf<Parameters<AgentConnection['on']>[0]>().toEqualTypeOf<
    'agent-exit' | 'noise' | 'permission' | 'unrouted-update' | 'handler-error' | 'not-supported'
  >();
});

test('a connection', () => {
  expectTypeOf<AgentConnection['close']>().returns.resolves.toEqualTypeOf<TerminationReport>();
  expectTypeOf<AgentConnection['kill']>().returns.resolves.toEqualTypeOf<TerminationReport>();
  expectTypeOf<AgentConnection['exited']>().resolves.toEqualTypeOf<AgentExit>();
  expectTypeOf<AgentConnection['listSessions']>().returns.toExtend<AsyncIterable<SessionInfo>>();
  expectTypeOf<AgentConnection['agent']>().toEqualTypeOf<SdkContext>();
  expectTypeOf<AgentConnection['sessions']>().toEqualTypeOf<readonly AgentSession[]>();
  expectTypeOf<AgentConnection['openSession']>().returns.resolves.toEqualTypeOf<AgentSession>();
  expectTypeOf<AgentConnection['loadSession']>().returns.resolves.toEqualTypeOf<AgentSession>();
  expectTypeOf<AgentConnection['resumeSession']>().returns.resolves.toEqualTypeOf<AgentSession>();
  expectTypeOf<AgentConnection['deleteSession']>().returns.resolves.toEqualTypeOf<void>();
  expectTypeOf<AgentConnection['logout']>().returns.resolves.toEqualTypeOf<void>();
  expectTypeOf<AgentConnection['authenticate']>().returns.resolves.toEqualTypeOf<void>();
  expectTypeOf<AgentConnection['nativeResumeMethod']>().toEqualTypeOf<
    'session/resume' | 'session/load' | undefined
  >();
  expectTypeOf<AgentConnection['agentCapabilities']>().toEqualTypeOf<AgentCapabilities>();
  expectTypeOf<AgentConnection>().toExtend<AsyncDisposable>();
  for (const signal of [{ signal: new AbortController().signal }]) {
    expectTypeOf<AgentConnection['listSessions']>().toBeCallableWith({ ...signal, cwd: '/project' });
    expectTypeOf<AgentConnection['deleteSession']>().toBeCallableWith('id', signal);
    expectTypeOf<AgentConnection['logout']>().toBeCallableWith(signal);
  }
});

test('a client is optional handlers named after the methods of ACP', () => {
  expectTypeOf<Partial<AgentClient>>().toEqualTypeOf<AgentClient>();
  expectTypeOf<Required<AgentClient>['requestPermission']>()
    .parameter(0)
    .toEqualTypeOf<RequestPermissionRequest>();
  expectTypeOf<Required<AgentClient>['requestPermission']>().returns.toEqualTypeOf<
    RequestPermissionResponse | Promise<RequestPermissionResponse>
  >();
  expectTypeOf<Required<AgentClient>['sessionUpdate']>().parameter(0).toEqualTypeOf<SessionNotification>();
  expectTypeOf<Required<AgentClient>['requestPermission']>()
    .parameter(1)
    .toHaveProperty('signal')
    .toEqualTypeOf<AbortSignal>();
});

test('ready-made parts of a client spread into one', () => {
  type RequestPermission = Required<AgentClient>['requestPermission'];
  expectTypeOf<ReturnType<typeof approveAll>>().toEqualTypeOf<RequestPermission>();
  expectTypeOf<ReturnType<typeof permissionRules>>().toEqualTypeOf<RequestPermission>();
  expectTypeOf<ReturnType<typeof askPermission>>().toEqualTypeOf<RequestPermission>();
  expectTypeOf<Parameters<Parameters<typeof askPermission>[0]>[1]>().toEqualTypeOf<ClientContext>();
  expectTypeOf<PermissionDecision>().toEqualTypeOf<
    'allow' | 'allow-always' | 'reject' | 'reject-always' | 'cancel'
  >();
  expectTypeOf<PermissionRule['title']>().toEqualTypeOf<string | RegExp | undefined>();
  expectTypeOf<keyof Parameters<typeof workspaceFiles>[0]>().toEqualTypeOf<
    'roots' | 'readOnly' | 'maxBytes'
  >();
  expectTypeOf<ReturnType<typeof workspaceFiles>>().toExtend<AgentClient>();
  expectTypeOf<ReturnType<typeof workspaceFiles>['writeTextFile']>().toEqualTypeOf<
    AgentClient['writeTextFile']
  >();
  expectTypeOf<keyof Parameters<typeof localTerminals>[0]>().toEqualTypeOf<
    'roots' | 'maxOutputBytes' | 'env' | 'maxTerminals'
  >();
  expectTypeOf<ReturnType<typeof localTerminals>>().toExtend<AgentClient>();
  expectTypeOf<keyof ReturnType<typeof localTerminals>>().toEqualTypeOf<
    | 'createTerminal'
    | 'terminalOutput'
    | 'waitForTerminalExit'
    | 'killTerminal'
    | 'releaseTerminal'
    | 'closeSession'
  >();
  expectTypeOf<ClientContext['signal']>().toEqualTypeOf<AbortSignal>();
  expectTypeOf<ClientContext['toolCall']>().toEqualTypeOf<ToolCall | undefined>();
});

test('blocks of a prompt are made from files and from data', () => {
  expectTypeOf<typeof textBlock>().returns.toEqualTypeOf<ContentBlock>();
  expectTypeOf<typeof resourceLink>().returns.toEqualTypeOf<ContentBlock>();
  expectTypeOf<typeof resourceLink>().parameter(1).extract<object>().toExtend<Partial<ResourceLink>>();
  expectTypeOf<typeof bufferBlock>().parameter(0).toEqualTypeOf<Uint8Array>();
  expectTypeOf<typeof bufferBlock>().returns.toEqualTypeOf<ContentBlock>();
  expectTypeOf<typeof fileBlock>().returns.resolves.toEqualTypeOf<ContentBlock>();
});

test('MCP servers are taken as a list or as a map, with variables as a list or as a map', () => {
  const env = { KEY: 'value' };
  expectTypeOf([{ name: 'a', command: 'a', args: [], env }]).toExtend<McpServersInput>();
  expectTypeOf([{ name: 'a', command: 'a', env: [{ name: 'KEY', value: 'v' }] }]).toExtend<McpServersInput>();
  expectTypeOf([
    { type: 'http' as const, name: 'a', url: 'https://mcp.example/', headers: env },
  ]).toExtend<McpServersInput>();
  expectTypeOf({ a: { enabled: true, command: 'a', args: ['b'], env } }).toExtend<McpServersInput>();
  expectTypeOf<McpServersInput>().toExtend<NonNullable<AgentStartConfigInput['mcpServers']>>();
});

test('an error has a code of a closed set', () => {
  expectTypeOf<AcpLauncherError>().toExtend<Error>();
  expectTypeOf<AcpLauncherError['code']>().toEqualTypeOf<ErrorCode>();
  expectTypeOf<'agent-exited' | 'timeout' | 'closed' | 'turn-overflow'>().toExtend<ErrorCode>();
  expectTypeOf<string>().not.toExtend<ErrorCode>();
  expectTypeOf<AcpLauncherError['phase']>().toEqualTypeOf<Phase>();
  expectTypeOf<typeof AcpLauncherError.isInstance>().guards.toEqualTypeOf<AcpLauncherError>();
});
