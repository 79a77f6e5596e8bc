import { AcpLauncherError } from '../errors/acp-launcher-error.ts';

/** What is left of an agent that was stopped. */
export interface StopReport {
  /** The processes that survived every signal. */
  readonly survivors: readonly number[];
}

/** @throws AcpLauncherError `shutdown-incomplete` where a process is left. */
export function assertEnded(reports: readonly StopReport[]): void {
  const survivors = reports.flatMap((report) => report.survivors);
  if (survivors.length === 0) return;
  const message = `processes of the agents survived every signal: ${survivors.join(', ')}`;
  throw new AcpLauncherError('shutdown-incomplete', message, { phase: 'shutdown', survivors });
}
