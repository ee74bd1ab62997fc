import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need a browser: npm run test:inspector; and these workerd: npm run test:sandbox.
    exclude: ['test/inspector/**', 'test/sandbox/**'],
    globalSetup: ['test/support/left-out.ts', 'test/support/command-bundle.ts'],
    sequence: { shuffle: true },
    // The library has no state at module level, so files can share what was loaded: half the time, and a test of that claim.
    // A hook at the top of a module that tests import would be that of the first file alone: onTestFinished serves all.
    isolate: false,
    // Many tests wait for processes that they start: one core is not left free.
    maxWorkers: '100%',
    // Properties run many cases, and shared machines are slow.
    testTimeout: 60_000,
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
  },
})
