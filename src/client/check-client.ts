import { invalidConfig } from '../errors/invalid-config.ts';
import { handlerNames } from './switchable-client.ts';

/**
 * Refuses a client that could not serve what its capabilities promise.
 *
 * @throws AcpLauncherError `invalid-config` naming the handler.
 */
export function checkClient(client: unknown, field = 'client'): void {
  if (typeof client !== 'object' || client === null)
    throw invalidConfig(field, 'must be an object of handlers');
  for (const name of handlerNames) {
    const handler = (client as Record<string, unknown>)[name];
    if (handler !== undefined && typeof handler !== 'function') {
      throw invalidConfig(`${field}.${name}`, 'must be a function');
    }
  }
}
