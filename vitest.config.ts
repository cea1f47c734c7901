import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/cluster/**'],
    // Ends a hang. Tests read no clock, and a busy machine may be ten times slower.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // Many tests wait for a process of their own, so all cores can have one.
    maxWorkers: '100%',
  },
});
