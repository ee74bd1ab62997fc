import { defineConfig } from 'vitest/config'

/** The tests of the inspector, which need a browser and what `npm run build` made: `npm run test:inspector`. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/inspector/**/*.test.ts'],
    globalSetup: ['test/support/tools.ts', 'test/inspector/support/browsers.ts'],
    // One browser at a time: two cores are what there may be.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A second is too short for a page on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
})
