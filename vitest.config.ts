import { defineConfig } from 'vitest/config';

// `--mode soak` runs the long campaigns instead of the tests.
export default defineConfig(({ mode }) => ({
  test: {
    include:
      mode === 'soak' ? ['test/soak/**/*.test.ts'] : ['test/{unit,integration,conventions}/**/*.test.ts'],
    // Real processes on small machines: a generous ceiling that only a hang reaches.
    testTimeout: mode === 'soak' ? 1_800_000 : 120_000,
    hookTimeout: 30_000,
    // In CI alone: one more try, told in the output, since what fails there throws away a whole session's work.
    retry: process.env['CI'] === 'true' ? 1 : 0,
    // More workers than cores: most of a test is waiting for processes and their graces.
    maxWorkers: 4,
  },
}));
