import { defineConfig } from 'vitest/config'

/** Tests that count the steps of functions or the bytes in memory: each file has a process of its own. */
const OWN = ['test/**/linear.test.ts', 'test/server/strangers.test.ts']

/**
 * `FAUXGATE_CLOCK_MS=209` starts each manual clock that would start at a whole second 209 ms later, and runs the tests of rooms with
 * state: a time in a record may be a whole second only because the clocks of the tests are.
 */
const CLOCK_MS = Number(process.env.FAUXGATE_CLOCK_MS ?? 0)

const WITH_STATE = ['core', 'service', 'gateway', 'traffic'].map((room) => `test/${room}/**/*.test.ts`)

/** These state the exact times of a clock that starts at a whole second. */
const WHOLE_SECONDS = [
  'core/engine/{clock-*,delayed-responses,manual-clock,subscribe}',
  'core/engine/persistence/{commits,failures,restart}',
  'service/kit/own-family',
  'service/ngrok/{agent-ingresses,application-users}',
  'service/provisioning/{detailed-outcomes,dns,dns-failures,job,job-options,outcomes,rollback,settled}',
  'service/provisioning/{single-events,ties,timeline,model.property,whole-seconds}',
].map((name) => `test/${name}.test.ts`)

const START = 'const startMs = requireTime(start)'
const clockPlugin = {
  name: 'clock-ms',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (CLOCK_MS === 0 || !id.endsWith('/src/core/engine/manual-clock.ts')) return undefined
    if (!code.includes(START)) throw new Error(`manual-clock.ts has no line "${START}".`)
    return code.replace(
      START,
      `const wholeMs = requireTime(start); const startMs = wholeMs + (wholeMs % 1000 ? 0 : ${CLOCK_MS})`,
    )
  },
}

/**
 * These take three quarters of the time, and hold a fifth of the tests: properties, tests that start processes or run documents, and
 * tests that repeat every operation. `npm test` leaves the project `thorough` out, and `.ci/run` runs it.
 */
const THOROUGH = [
  '**/*.property',
  'control/{refused-snapshots,reset,snapshot-secrets}',
  'control/journal/{bounds,linear}',
  'core/operation/{huge-lists,mutated-bodies,properties}',
  'core/store/every-kind',
  'docs/{ci,code-blocks,files,generated,recipes,shell,troubleshooting}',
  'gateway/{marked-secrets,openapi/bodies,http/linear}',
  'server/{callers,command,copied-curl,init,load,log,namespaces,record,sandbox,verify}',
  'server/traffic/*',
  'service/ngrok/{faults-by-number,self,ssh-certificates}',
  'service/provisioning/{rollback,ties,whole-seconds}',
  'service/resources/operations',
  'service/x509/{authority-openssl,fuzz}',
  'testing/{certificates,jest,jest-endings,node-endings,replay-recording,store-flush}',
  'testing/survives/*',
  'tooling/left-out',
  'traffic/cel/functions',
  'verify/*',
].map((name) => `test/${name}.test.ts`)

/** These need a browser: `npm run test:inspector`; and workerd: `npm run test:sandbox`. */
const ELSEWHERE = ['test/inspector/**', 'test/sandbox/**']

/** So that a commit has one result, its tests have one order. */
const SEED = process.env.FAUXGATE_SEED

/** `npm run mutants` has a runner of its own. */
const runner = process.env.FAUXGATE_RUNNER ? { runner: process.env.FAUXGATE_RUNNER } : {}

// Properties run many cases, and shared machines are slow.
const common = { testTimeout: 60_000, setupFiles: ['test/support/check-writes.ts'], ...runner }

export default defineConfig({
  test: {
    // Only here: vitest does not read it from a project. Files that are in order share what is loaded: 75 s in place of 100.
    sequence: { shuffle: { tests: true, files: false }, ...(SEED && { seed: Number(SEED) }) },
    globalSetup: ['test/support/left-out.ts', 'test/support/command-bundle.ts'],
    // Projects, and the runs that tests start, share what was transformed: once for each content of a file.
    experimental: { fsModuleCache: CLOCK_MS === 0 },
    // Many tests wait for processes that they start: one core is not left free.
    maxWorkers: '100%',
    projects: [
      {
        // The library has no state at module level, so files can share what was loaded: half the time, and a test of that
        // claim. A hook at the top of a module that tests import would be that of the first file alone: onTestFinished
        // serves all.
        plugins: [clockPlugin],
        test: {
          ...common,
          name: 'shared',
          include: CLOCK_MS === 0 ? ['test/**/*.test.ts'] : WITH_STATE,
          exclude: CLOCK_MS === 0 ? [...OWN, ...THOROUGH, ...ELSEWHERE] : [...OWN, ...WHOLE_SECONDS, ...ELSEWHERE],
          isolate: false,
        },
      },
      { test: { ...common, name: 'thorough', include: THOROUGH, exclude: [...OWN, ...ELSEWHERE], isolate: false } },
      { test: { ...common, name: 'own', include: OWN } },
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
