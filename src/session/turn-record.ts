import type { SessionUpdate, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { JoinedText } from '../wire/joined-text.ts';
import { mergeToolCall } from '../wire/merge-tool-call.ts';

/** What a turn has brought so far. */
export interface TurnSummary {
  readonly updates: number;
  readonly textCharacters: number;
  readonly toolCalls: number;
  /** No text and no tool call came: whatever the stop reason says, the user has nothing to read. */
  readonly empty: boolean;
  readonly stopReason?: string | undefined;
  /** Set when the turn was cancelled by us: what the agent answered then, if it answered. */
  readonly cancelled?: CancelledOutcome | undefined;
}

/** How an agent took a cancel. */
export interface CancelledOutcome {
  /** `false`: it did not answer within `cancelTimeoutMs`, and the turn was settled without it. */
  readonly acknowledged: boolean;
  readonly response?: unknown;
  readonly error?: unknown;
}

/** Collects the text and the tool calls of a turn from its updates, in order. Updates of unknown kinds only count. */
export class TurnRecord {
  readonly #text = new JoinedText();
  readonly #toolCalls = new Map<string, ToolCall>();
  readonly #inProgress = new Set<string>();
  #updates = 0;

  add(update: SessionUpdate): void {
    this.#updates += 1;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk': {
        // Off-schema content must not break a turn (B31).
        const content = update.content as { type?: unknown; text?: unknown } | null | undefined;
        if (content?.type !== 'text' || typeof content.text !== 'string') return;
        return this.#text.append(content.text);
      }
      case 'tool_call':
      case 'tool_call_update':
        return this.#addToolCall(update);
    }
  }

  get updates(): number {
    return this.#updates;
  }

  /** Whether a tool call is in progress, as far as the agent has said. */
  get toolCallInProgress(): boolean {
    return this.#inProgress.size > 0;
  }

  text(): string {
    return this.#text.toString();
  }

  toolCall(toolCallId: string): ToolCall | undefined {
    return this.#toolCalls.get(toolCallId);
  }

  toolCalls(): ToolCall[] {
    return [...this.#toolCalls.values()];
  }

  summary(): Omit<TurnSummary, 'stopReason' | 'cancelled'> {
    return {
      updates: this.#updates,
      textCharacters: this.#text.length,
      toolCalls: this.#toolCalls.size,
      empty: this.#text.length === 0 && this.#toolCalls.size === 0,
    };
  }

  #addToolCall(update: (ToolCall | ToolCallUpdate) & { sessionUpdate: string }): void {
    const { sessionUpdate: _kind, ...fields } = update;
    const { toolCallId, status } = fields;
    if (typeof toolCallId !== 'string') return;
    this.#toolCalls.set(toolCallId, mergeToolCall(this.#toolCalls.get(toolCallId), fields));
    if (status === 'in_progress') this.#inProgress.add(toolCallId);
    else if (status !== null && status !== undefined) this.#inProgress.delete(toolCallId);
  }
}
