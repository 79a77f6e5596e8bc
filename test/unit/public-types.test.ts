import type {
  ClientContext as SdkContext,
  ContentBlock,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionInfo,
  SessionNotification,
  SessionUpdate,
  ToolCall,
} from '@agentclientprotocol/sdk';
import { expectTypeOf, test } from 'vitest';
import type {
  AcpLauncherError,
  AgentClient,
  AgentConnection,
  AgentExit,
  AgentLauncher,
  AgentSession,
  AgentStartConfig,
  AgentStartConfigInput,
  ErrorCode,
  LaunchOptions,
  ModelProviderConfig,
  Phase,
  PromptOptions,
  PromptTurn,
  ResumeOutcome,
  SessionEvents,
  SessionState,
  TerminationReport,
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
  expectTypeOf<PromptOptions['signal']>().toEqualTypeOf<AbortSignal | undefined>();
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

test('an error has a code of a closed set', () => {
  expectTypeOf<AcpLauncherError>().toExtend<Error>();
  expectTypeOf<AcpLauncherError['code']>().toEqualTypeOf<ErrorCode>();
  expectTypeOf<'agent-exited' | 'timeout' | 'closed' | 'turn-overflow'>().toExtend<ErrorCode>();
  expectTypeOf<string>().not.toExtend<ErrorCode>();
  expectTypeOf<AcpLauncherError['phase']>().toEqualTypeOf<Phase>();
  expectTypeOf<typeof AcpLauncherError.isInstance>().guards.toEqualTypeOf<AcpLauncherError>();
});
