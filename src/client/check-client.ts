import { AcpLauncherError } from '../errors/acp-launcher-error.ts';
import { handlerNames } from './switchable-client.ts';

/**
 * Refuses a client that could not serve what its capabilities promise.
 *
 * @throws AcpLauncherError `invalid-config` naming the handler.
 */
export function checkClient(client: unknown, field = 'client'): void {
  if (typeof client !== 'object' || client === null)
    throw invalidClient(field, 'must be an object of handlers');
  for (const name of handlerNames) {
    const handler = (client as Record<string, unknown>)[name];
    if (handler !== undefined && typeof handler !== 'function') {
      throw invalidClient(`${field}.${name}`, 'must be a function');
    }
  }
}

function invalidClient(field: string, problem: string): AcpLauncherError {
  return new AcpLauncherError('invalid-config', `${field}: ${problem}`, { phase: 'config', field });
}
