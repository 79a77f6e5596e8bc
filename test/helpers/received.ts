import { existsSync, readFileSync } from 'node:fs';

export interface ReceivedMessage {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** What a fixture agent received, as its `--record` file says; requests and notifications only. */
export function received(file: string, method?: string): ReceivedMessage[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ReceivedMessage)
    .filter((message) => 'method' in message && (method === undefined || message.method === method));
}

/** The id that a `session/new` asks to resume. */
export function resumeOf({ params }: ReceivedMessage): string | undefined {
  const meta = params['_meta'] as { claudeCode?: { options?: { resume?: string } } } | undefined;
  return meta?.claudeCode?.options?.resume;
}

/** The text of a `session/prompt`. */
export function textOf({ params }: ReceivedMessage): string {
  return (params['prompt'] as { text?: string }[]).flatMap(({ text }) => text ?? []).join('');
}
