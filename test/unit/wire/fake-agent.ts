import { PassThrough } from 'node:stream';
import type { ToolCall } from '@agentclientprotocol/sdk';
import { noRedaction } from '../../../src/errors/redactor.ts';
import { deferred } from '../../../src/internal/deferred.ts';
import type { AgentExit } from '../../../src/process/agent-process.ts';
import { StderrTail } from '../../../src/process/stderr-tail.ts';
import type { AgentClient } from '../../../src/client/agent-client.ts';
import { AgentWire, type AgentWireOptions, type WiredProcess } from '../../../src/wire/agent-wire.ts';
import { ClientRequests } from '../../../src/wire/client-handlers.ts';

export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** An agent of two pipes in memory, and a wire to it. What the wire tells is noted, in order. */
export class FakeAgent implements WiredProcess {
  readonly pid = 1;
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new StderrTail({ redactor: noRedaction, maxBytes: 10_000 });
  readonly exited: Promise<AgentExit>;
  readonly log: string[] = [];
  /** The sessions whose turn is being ended. */
  readonly ending = new Set<string>();
  /** What was said of tool calls. */
  readonly toolCalls = new Map<string, ToolCall>();
  readonly wire: AgentWire;
  readonly clientRequests: ClientRequests;
  exit: AgentExit | undefined;
  readonly #exited = deferred<AgentExit>();

  constructor(options: { readonly client?: AgentClient } & Partial<Omit<AgentWireOptions, 'process'>> = {}) {
    this.exited = this.#exited.promise;
    const { client = {}, ...wireOptions } = options;
    const clientRequests: ClientRequests = new ClientRequests(client, {
      servesSession: (sessionId) => !sessionId.startsWith('unknown'),
      isEnding: (sessionId) => this.ending.has(sessionId),
      sessionOfRequest: (requestId) => this.wire.sessionOfRequest(requestId),
      toolCall: (_sessionId, toolCallId) => this.toolCalls.get(toolCallId),
      onOpenRequestsChange: (sessionId) =>
        this.log.push(`open ${sessionId} ${clientRequests.openRequests(sessionId)}`),
      onPermission: (_request, response) => this.log.push(`permission ${JSON.stringify(response)}`),
      onHandlerError: (method, error) => this.log.push(`handler of ${method} failed: ${String(error)}`),
    });
    this.clientRequests = clientRequests;
    this.wire = new AgentWire({
      process: this,
      command: 'fake-agent',
      redactor: noRedaction,
      maxLineBytes: 1_000_000,
      clientRequests,
      onUpdate: ({ update }) => this.log.push(`update ${JSON.stringify(update)}`),
      onNotification: (method, params) => clientRequests.notify(method, params),
      onNoise: (line, reason) => this.log.push(`noise ${reason} ${line.slice(0, 40)}`),
      ...wireOptions,
    });
  }

  /** What the client has written since the last call. */
  async read(): Promise<Message[]> {
    await settle();
    const chunk = this.stdin.read() as Buffer | null;
    const lines = (chunk?.toString() ?? '').split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Message);
  }

  /** Writes lines in one piece; returns when the client has taken them. */
  async write(...messages: readonly unknown[]): Promise<void> {
    const lines = messages.map((message) =>
      typeof message === 'string' ? message : JSON.stringify(message),
    );
    this.stdout.write(`${lines.join('\n')}\n`);
    await settle();
  }

  respond(id: Message['id'], result: unknown): Promise<void> {
    return this.write({ jsonrpc: '2.0', id, result });
  }

  end(exit: AgentExit = { exitCode: 0, exitSignal: null }): void {
    this.exit = exit;
    this.#exited.resolve(exit);
  }
}

/** Lets the streams and the SDK pass on what they hold. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
