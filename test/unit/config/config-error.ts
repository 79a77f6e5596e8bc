import { AcpLauncherError } from '../../../src/errors/acp-launcher-error.ts';

/** The typed error that a call throws; fails the test where there is none. */
export function configError(call: () => unknown): AcpLauncherError {
  try {
    call();
  } catch (error) {
    if (AcpLauncherError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Code and field of the error that a call throws. */
export function refusal(call: () => unknown): { code: string; phase: string; field: string | undefined } {
  const { code, phase, facts } = configError(call);
  return { code, phase, field: facts.field };
}

export const invalid = (field: string) => ({ code: 'invalid-config', phase: 'config', field });
