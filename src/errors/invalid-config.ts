import { AcpLauncherError } from './acp-launcher-error.ts';

/** The error for one wrong field. The text says what is wrong, and never repeats the value: it may be a secret. */
export function invalidConfig(field: string, problem: string, cause?: unknown): AcpLauncherError {
  const text = field === '' ? problem : `${field}: ${problem}`;
  return new AcpLauncherError('invalid-config', text, { phase: 'config', field, cause });
}
