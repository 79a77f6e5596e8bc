import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,integration,conventions}/**/*.test.ts'],
    // Real processes on small machines: a generous ceiling that only a hang reaches.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two workers: the tests start processes of their own.
    maxWorkers: 2,
  },
});
