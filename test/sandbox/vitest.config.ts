import { defineConfig } from 'vitest/config'

/** The tests of the sandboxes, which need workerd. Only examples/sandbox installs it. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/sandbox/**/*.test.ts'],
    globalSetup: ['test/support/tools.ts', 'test/sandbox/support/bundle-worker.ts'],
    sequence: { shuffle: true },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A second is too short for a page on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
})
