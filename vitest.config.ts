import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need a browser: npm run test:inspector; and these workerd: npm run test:sandbox.
    exclude: ['test/inspector/**', 'test/sandbox/**'],
    globalSetup: ['test/support/left-out.ts', 'test/support/command-bundle.ts'],
    sequence: { shuffle: true },
    // Properties run many cases, and shared machines are slow.
    testTimeout: 60_000,
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
  },
})
