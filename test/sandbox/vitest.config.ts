import { defineConfig } from 'vitest/config'

/** Apart from the other tests: these need workerd, which only examples/sandbox installs. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/sandbox/**/*.test.ts'],
    globalSetup: ['test/sandbox/support/bundled.ts'],
    sequence: { shuffle: true },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A second is too short for a page on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
})
