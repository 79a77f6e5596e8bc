import { expect, test } from 'vitest';
import { createLease, hostLease } from '../../../src/process/lease.ts';

test('leases share the part of their host and are never the same', () => {
  const leases = Array.from({ length: 100 }, createLease);
  expect(new Set(leases).size).toBe(100);
  for (const lease of leases) expect(lease).toMatch(new RegExp(`^${hostLease}\\.[0-9a-f]{16}$`));
  expect(hostLease).toMatch(/^[0-9a-f]{24}$/);
});
