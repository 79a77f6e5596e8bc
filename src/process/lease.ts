import { randomBytes } from 'node:crypto';

/** The environment variable that marks a process, and all that inherit its environment, as ours. */
export const leaseVariable = 'ACP_LAUNCHER_LEASE';

/** The part that all leases of this host process share: the orphan guard looks for it when the host is gone. */
export const hostLease = randomBytes(12).toString('hex');

/** The value of {@link leaseVariable} for one agent: `<hostLease>.<random>`, unguessable and never used twice. */
export function createLease(): string {
  return `${hostLease}.${randomBytes(8).toString('hex')}`;
}
