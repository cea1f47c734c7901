import { defineConfig } from 'vitest/config';

/** Long runs over several nodes: `npm run test:cluster`. */
export default defineConfig({
  test: {
    include: ['test/cluster/**/*.test.ts', 'test/property/nodes.test.ts', 'test/e2e/nodes/processes.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    fileParallelism: false,
    env: { CASES: process.env.CASES ?? '1000', PHASE_MS: process.env.PHASE_MS ?? '12000' },
  },
});
