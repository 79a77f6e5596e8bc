import { invalidConfig } from '../errors/invalid-config.ts';

/** @throws AcpLauncherError `invalid-config` naming the method that a logger lacks. */
export function checkLogger(logger: object): void {
  for (const name of ['debug', 'info', 'warn', 'error']) {
    if (typeof (logger as Readonly<Record<string, unknown>>)[name] !== 'function')
      throw invalidConfig(`logger.${name}`, 'must be a function');
  }
}
