import type { InitializeResponse } from '@agentclientprotocol/sdk';
import type { AgentClient } from './client/agent-client.ts';
import type { LauncherLimits } from './config/launcher-options.ts';
import type { AgentPreset } from './config/presets/agent-preset.ts';
import type { GrowingRedactor } from './errors/growing-redactor.ts';
import type { AgentProcess } from './process/agent-process.ts';
import type { ConnectionEvents } from './session/connection-events.ts';
import type { TypedEvents } from './session/typed-events.ts';
import type { UpdateRouter } from './session/update-router.ts';
import type { AgentWire } from './wire/agent-wire.ts';
import type { ClientRequests } from './wire/client-handlers.ts';

/** @internal What a connection is made of. */
export interface ConnectionParts {
  readonly process: AgentProcess;
  readonly wire: AgentWire;
  readonly router: UpdateRouter;
  readonly clientRequests: ClientRequests;
  readonly client: AgentClient;
  readonly limits: LauncherLimits;
  readonly events: TypedEvents<ConnectionEvents>;
  readonly redactor: GrowingRedactor;
  /** The agent's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly agentId: string;
  readonly preset: AgentPreset | undefined;
  readonly authMethodId: string | undefined;
  readonly initialized: InitializeResponse;
}
