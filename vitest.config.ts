import { defineConfig } from 'vitest/config'

/** Tests that count the steps of functions or the bytes in memory: each file has a process of its own. */
const OWN = ['test/**/linear.test.ts', 'test/server/strangers.test.ts']

/** Tests of what is in the repository and of its documents, which are the same on every version of Node: they share too. */
const REPOSITORY = ['test/docs/**/*.test.ts', 'test/tooling/**/*.test.ts']

/** These need a browser: `npm run test:inspector`; and workerd: `npm run test:sandbox`. */
const ELSEWHERE = ['test/inspector/**', 'test/sandbox/**']

// Properties run many cases, and shared machines are slow.
const common = { testTimeout: 60_000, setupFiles: ['test/support/check-writes.ts'] }

export default defineConfig({
  test: {
    // Only here: vitest does not read it from a project. Files that are in order share what is loaded: 75 s in place of 100.
    sequence: { shuffle: { tests: true, files: false } },
    globalSetup: ['test/support/left-out.ts', 'test/support/command-bundle.ts'],
    // Projects, and the runs that tests start, share what was transformed: once for each content of a file.
    experimental: { fsModuleCache: true },
    // Many tests wait for processes that they start: one core is not left free.
    maxWorkers: '100%',
    projects: [
      {
        // The library has no state at module level, so files can share what was loaded: half the time, and a test of that
        // claim. A hook at the top of a module that tests import would be that of the first file alone: onTestFinished
        // serves all.
        test: {
          ...common,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...OWN, ...REPOSITORY, ...ELSEWHERE],
          isolate: false,
        },
      },
      { test: { ...common, name: 'own', include: OWN } },
      { test: { ...common, name: 'repository', include: REPOSITORY, isolate: false } },
      {
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            checker: 'node_modules/typescript-7/bin/tsc',
            include: ['test/**/*.test-d.ts'],
            tsconfig: './test/types/tsconfig.json',
          },
        },
      },
    ],
  },
})
