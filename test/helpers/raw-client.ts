import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { AgentCommandLine } from '../../fixtures/index.ts';

export interface RawMessage {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface AgentEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const deadlineMs = 15_000;

/** JSON lines to a plainly spawned agent: a client without the library under test. Every wait has a deadline. */
export class RawClient {
  /** What the agent sent, line by line, noise included. */
  readonly lines: string[] = [];
  readonly messages: RawMessage[] = [];
  /** The chunks in which stdout arrived. */
  readonly chunks: Buffer[] = [];
  stderr = '';
  readonly child: ChildProcess;
  /** The end of the process, not of its pipes. */
  readonly ended: Promise<AgentEnd>;
  /** Answers the agent's own requests; by default nothing is answered. */
  onRequest: (message: RawMessage) => unknown = () => undefined;
  readonly #watchers = new Set<() => void>();
  #nextId = 0;
  #rest = '';
  #stdoutEnded = false;

  constructor({ command, args, env }: AgentCommandLine, options: { cwd?: string; detached?: boolean } = {}) {
    this.child = spawn(command, args, {
      ...options,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.ended = new Promise((resolve, reject) => {
      this.child.once('exit', (code, signal) => resolve({ code, signal }));
      this.child.once('error', reject);
    });
    this.ended.catch(() => undefined);
    this.child.once('exit', () => this.#wake());
    this.stdin.on('error', () => undefined);
    const decoder = new StringDecoder('utf8');
    this.stdout.on('data', (chunk: Buffer) => this.#receive(chunk, decoder));
    this.stdout.on('end', () => {
      this.#stdoutEnded = true;
      this.#wake();
    });
    (this.child.stderr as Readable).setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#wake();
    });
  }

  get stdin(): Writable {
    return this.child.stdin as Writable;
  }

  get stdout(): Readable {
    return this.child.stdout as Readable;
  }

  get stdoutEnded(): boolean {
    return this.#stdoutEnded;
  }

  send(message: object): void {
    this.stdin.write(`${JSON.stringify(message)}\n`);
  }

  notify(method: string, params: object): void {
    this.send({ jsonrpc: '2.0', method, params });
  }

  /** Sends a request without waiting, and returns its id. */
  ask(method: string, params: object): number {
    const id = this.#nextId++;
    this.send({ jsonrpc: '2.0', id, method, params });
    return id;
  }

  /** The answer to a request, result or error. */
  async request(method: string, params: object): Promise<RawMessage> {
    return this.answerTo(this.ask(method, params));
  }

  async answerTo(id: number): Promise<RawMessage> {
    const isAnswer = (message: RawMessage) => message.method === undefined && message.id === id;
    return this.until(() => this.messages.find(isAnswer), `the answer to request ${id}`);
  }

  /** Waits until `look` finds something. */
  async until<T>(look: () => T | undefined | false, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = look();
        if (found === undefined || found === false) return;
        settle();
        resolve(found);
      };
      const settle = () => {
        clearTimeout(timer);
        this.#watchers.delete(check);
      };
      const timer = setTimeout(() => {
        settle();
        reject(new Error(`no sign of ${what} within ${deadlineMs} ms; stderr: ${this.stderr.slice(-2_000)}`));
      }, deadlineMs);
      this.#watchers.add(check);
      check();
    });
  }

  async initialize(): Promise<RawMessage> {
    return this.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  }

  /** Initializes and opens a session. */
  async open(cwd: string, params: object = {}): Promise<string> {
    await this.initialize();
    const answer = await this.request('session/new', { cwd, mcpServers: [], ...params });
    if (answer.error) throw new Error(`session/new failed: ${JSON.stringify(answer.error)}`);
    return (answer.result as { sessionId: string }).sessionId;
  }

  /** Opens a session by `_meta.claudeCode.options.resume`. */
  async resume(cwd: string, sessionId: string): Promise<RawMessage> {
    const _meta = { claudeCode: { options: { resume: sessionId } } };
    return this.request('session/new', { cwd, mcpServers: [], _meta });
  }

  /** Sends a prompt; resolves to its answer and the text of the updates that came since. */
  async prompt(sessionId: string, text: string): Promise<{ text: string; answer: RawMessage }> {
    const before = this.messages.length;
    const answer = await this.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
    return { text: textOf(this.messages.slice(before, this.messages.indexOf(answer))), answer };
  }

  updates(): RawMessage[] {
    return this.messages.filter((message) => message.method === 'session/update');
  }

  /** Ends stdin and waits for the process. */
  async end(): Promise<AgentEnd> {
    this.stdin.end();
    return this.ended;
  }

  /** Whatever happened before: the process is gone afterwards. */
  async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.ended.catch(() => undefined);
    this.stdin.destroy();
    this.stdout.destroy();
    this.child.stderr?.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #receive(chunk: Buffer, decoder: StringDecoder): void {
    this.chunks.push(chunk);
    const lines = (this.#rest + decoder.write(chunk)).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#receiveLine(line);
    this.#wake();
  }

  #receiveLine(line: string): void {
    this.lines.push(line);
    let message: unknown;
    try {
      // A byte order mark counts as white space.
      message = JSON.parse(line.trimStart());
    } catch {
      return;
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message)) return;
    this.messages.push(message);
    const request = message as RawMessage;
    if (request.method === undefined || request.id === undefined) return;
    const reply = this.onRequest(request);
    if (reply !== undefined) this.send({ jsonrpc: '2.0', id: request.id, ...(reply as object) });
  }

  #wake(): void {
    for (const check of [...this.#watchers]) check();
  }
}

/** The update that a notification carries; `undefined` for everything else. */
export function updateOf(message: RawMessage): Record<string, unknown> | undefined {
  if (message.method !== 'session/update') return undefined;
  return message.params?.['update'] as Record<string, unknown> | undefined;
}

/** The text of the message chunks among these messages. */
export function textOf(messages: readonly RawMessage[]): string {
  const chunks = messages
    .map(updateOf)
    .filter((update) => update?.['sessionUpdate'] === 'agent_message_chunk');
  return chunks.map((update) => (update?.['content'] as { text: string }).text).join('');
}
