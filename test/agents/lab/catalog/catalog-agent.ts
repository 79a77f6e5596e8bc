import type { ModelApiName } from '../models/model-api.ts';

/** A tool call that makes the agent ask for permission first, and makes a file when it is allowed. */
export interface AskingTool {
  readonly name: string;
  input(file: string): object;
}

/** All that the suite knows about one published agent, as data. What a preset of the library knows is not here. */
export interface CatalogAgent {
  readonly name: string;
  /** Exact npm packages; an agent is installed into a folder of its own. */
  readonly packages: readonly string[];
  /** The Node that it needs: whatever runs the suite (20.19 and later), or one that npm brings. */
  readonly node: 'host' | 22 | 24;
  /** The preset of this library that launches it. */
  readonly preset: string;
  /** The API that it speaks to its model; none where there is no login but the vendor's. */
  readonly api: ModelApiName | undefined;
  /** Keeps it offline and quiet. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files under HOME, by relative path, that bring it to ask for permission. */
  readonly files?: Readonly<Record<string, string>>;
  /** What a model provider can't say by variables: arguments beside the preset's own … */
  readonly loginArgs?: (modelsUrl: string) => readonly string[];
  /** … and files under HOME. */
  readonly loginFiles?: (modelsUrl: string) => Readonly<Record<string, string>>;
  /** Its own name for `otherModelName`, where that is another. */
  readonly otherModel?: string;
  readonly askingTool?: AskingTool;
  /** Set where a session can't be loaded within the clock minute in which it was made. */
  readonly resumableNextMinute?: boolean;
  /** Files under HOME that keep it from deleting sessions that it could still resume. */
  readonly keepSessionsFiles?: Readonly<Record<string, string>>;
  /** Which MCP servers it takes: ACP wants stdio from every agent. */
  readonly mcp: 'stdio' | 'http' | 'none';
  /** How it lets its model call a tool of an MCP server, where not by a tool whose name ends in the tool's. */
  readonly callMcpTool?: (server: string, tool: string, input: object) => { name: string; input: object };
}

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** What most agents understand as a wish to stay at home. */
export const offline: Readonly<Record<string, string>> = {
  DISABLE_TELEMETRY: '1',
  DO_NOT_TRACK: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
};

export const modelName = 'mock-model';

export const otherModelName = 'mock-model-2';

/** It does not hold a model's name: where the name changes, the rest of the configuration must not. */
export const apiKey = 'test-key-of-the-mock';
