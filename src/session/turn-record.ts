import type { SessionUpdate, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk';

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
  readonly #text: string[] = [];
  readonly #toolCalls = new Map<string, ToolCall>();
  #textCharacters = 0;
  #updates = 0;

  add(update: SessionUpdate): void {
    this.#updates += 1;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk': {
        // Off-schema content must not break a turn (B31).
        const content = update.content as { type?: unknown; text?: unknown } | null | undefined;
        if (content?.type !== 'text' || typeof content.text !== 'string') return;
        this.#text.push(content.text);
        this.#textCharacters += content.text.length;
        return;
      }
      case 'tool_call':
      case 'tool_call_update':
        return this.#addToolCall(update);
    }
  }

  get updates(): number {
    return this.#updates;
  }

  text(): string {
    return this.#text.join('');
  }

  toolCalls(): ToolCall[] {
    return [...this.#toolCalls.values()];
  }

  summary(): Omit<TurnSummary, 'stopReason' | 'cancelled'> {
    return {
      updates: this.#updates,
      textCharacters: this.#textCharacters,
      toolCalls: this.#toolCalls.size,
      empty: this.#textCharacters === 0 && this.#toolCalls.size === 0,
    };
  }

  /** An update changes the fields that it names; `null` and absent ones stay as they were. */
  #addToolCall(update: (ToolCall | ToolCallUpdate) & { sessionUpdate: string }): void {
    const { sessionUpdate: _kind, ...fields } = update;
    if (typeof fields.toolCallId !== 'string') return;
    const known = this.#toolCalls.get(fields.toolCallId);
    const changes = Object.fromEntries(
      Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
    );
    this.#toolCalls.set(fields.toolCallId, { title: '', ...known, ...changes } as ToolCall);
  }
}
