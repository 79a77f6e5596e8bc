import type { McpServer } from '@agentclientprotocol/sdk';
import { createHmac, randomBytes } from 'node:crypto';
import type { ModelProviderConfig } from './model-provider.ts';

/** Everything that a running agent was started with. */
export interface FingerprintInput {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** The agent's effective environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly mcpServers?: readonly McpServer[] | undefined;
  readonly modelProvider?: ModelProviderConfig | undefined;
  /** Whatever else must be the same, as plain JSON: what was given by hand of the environment. */
  readonly session?: unknown;
}

/** Equal within one host process where, and only where, what they stand for is equal. */
export interface ConfigurationFingerprints {
  readonly all: string;
  /** The model's name alone. */
  readonly model: string;
  /** Everything but the model's name: if this is the same and `all` is not, only the model has changed. */
  readonly rest: string;
}

let processKey: Buffer | undefined;

/**
 * Tells whether a running agent may serve a request. Keyed with a random value of this process, so that no
 * secret can be guessed from a fingerprint that ends up in a log; not comparable across processes.
 */
export function configurationFingerprints(input: FingerprintInput): ConfigurationFingerprints {
  const { modelProvider, mcpServers, session, ...started } = input;
  const { defaultModel: model = '', ...provider } = modelProvider ?? {};
  // Only what is made of the model may differ with it: a key or an address that holds its name is another one.
  const exact = { provider, mcpServers, session };
  return {
    all: digest(input),
    model: digest(model),
    rest: digest([model === '' ? started : withoutText(started, model), exact]),
  };
}

/** The fingerprint of everything. */
export function configurationFingerprint(input: FingerprintInput): string {
  return digest(input);
}

function digest(value: unknown): string {
  processKey ??= randomBytes(32);
  return createHmac('sha256', processKey).update(stableJson(value)).digest('hex');
}

/** The model's name is in several variables, in some within JSON: it is taken out wherever it stands. */
function withoutText(value: unknown, text: string): unknown {
  if (typeof value === 'string') return value.replaceAll(text, '\0model');
  if (Array.isArray(value)) return value.map((item) => withoutText(item, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutText(item, text)]));
}

/** JSON with the keys of every object in one order. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
