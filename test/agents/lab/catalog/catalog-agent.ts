import type { ModelApiName } from '../models/model-api.ts';

/** Where one run of an agent lives, and which models it may ask. */
export interface Place {
  /** The agent's isolated HOME. */
  readonly home: string;
  /** The mock models' address, without a path. */
  readonly modelsUrl: string;
}

/** A tool call that makes the agent ask for permission first, and the file that it makes when it is allowed. */
export interface AskingTool {
  readonly name: string;
  input(file: string): object;
}

/** All that the suite knows about one published agent, as data. */
export interface CatalogAgent {
  readonly name: string;
  /** Exact npm packages; an agent is installed into a folder of its own. */
  readonly packages: readonly string[];
  /** The Node that it needs: whatever runs the suite (20.19 and later), or one that npm brings. */
  readonly node: 'host' | 22 | 24;
  readonly command: string;
  readonly args: readonly string[];
  /** The preset of this library that launches it. */
  readonly preset: string;
  /** The API that it speaks to its model; none where there is no login without the vendor. */
  readonly api: ModelApiName | undefined;
  /** Keeps it offline and quiet. No login, and nothing that a preset sets. */
  environment(place: Place): Readonly<Record<string, string>>;
  /** The login and the models' address. */
  credentials(place: Place): Readonly<Record<string, string>>;
  /** Files to make under HOME, by relative path. */
  files(place: Place): Readonly<Record<string, string>>;
  /** The same with no login in them. */
  filesWithoutLogin(place: Place): Readonly<Record<string, string>>;
  readonly askingTool?: AskingTool;
}

export const none = (): Readonly<Record<string, string>> => ({});

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** What most agents understand as a wish to stay at home. */
export const offline: Readonly<Record<string, string>> = {
  DISABLE_TELEMETRY: '1',
  DO_NOT_TRACK: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
};

export const apiKey = 'test-key-of-the-mock-models';
