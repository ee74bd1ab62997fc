import { defineConfig } from 'vitest/config'

/** Tests that count the steps of functions or the bytes in memory: each file has its own process. */
const OWN = ['test/**/linear.test.ts', 'test/server/strangers.test.ts']

/**
 * These take most of the time: properties, tests that start processes or run documents, tests that repeat every operation, and
 * tests that use packages in `tools/`. `npm test` leaves the project `thorough` out, and `.ci/run` runs it.
 */
const THOROUGH = [
  '**/*.property',
  'control/agent/requests',
  'control/{refused-snapshots,reset,snapshot-secrets}',
  'control/journal/{bounds,linear}',
  'core/operation/{huge-lists,mutated-bodies,properties}',
  'core/store/every-kind',
  'docs/{ci,code-blocks,files,generated,policy,recipes,shell,troubleshooting,types}',
  'gateway/{marked-secrets,openapi/bodies,http/linear}',
  'server/{callers,command,copied-curl,events,explorations,gateways,init,last-response,load,log,namespaces,ngrok-script}',
  'server/{options,policy-test,policy-test-secrets,proxy,record,running,sandbox,survives-command,unwritable-output,verify}',
  'server/traffic/*',
  'service/kit/own-family',
  'service/ngrok/{faults-by-number,self,ssh-certificates}',
  'service/provisioning/{rollback,ties,whole-seconds}',
  'service/resources/operations',
  'service/x509/{authority-openssl,fuzz}',
  'testing/{certificates,clients,jest,jest-endings,node-endings,replay-recording,store-flush,vitest-failures}',
  'testing/survives/*',
  'tooling/left-out',
  'traffic/{pages,passing,replacements}',
  'traffic/cel/{functions,limits}',
  'traffic/webhooks/providers',
  'verify/*',
].map((name) => `test/${name}.test.ts`)

/** These need a browser: `npm run test:inspector`; and workerd: `npm run test:sandbox`. */
const ELSEWHERE = ['test/inspector/**', 'test/sandbox/**']

/** So that a commit has one result, its tests have one order. */
const SEED = process.env.FAUXGATE_SEED

/** `npm run check -- mutants` has its own runner. */
const runner = process.env.FAUXGATE_RUNNER ? { runner: process.env.FAUXGATE_RUNNER } : {}

/** Properties run many cases, and shared machines are slow. `.ci/run --all` runs several suites at a time. */
const TIMEOUT = 60_000 * Number(process.env.PATIENCE ?? 1)

const common = { testTimeout: TIMEOUT, hookTimeout: TIMEOUT, setupFiles: ['test/support/check-writes.ts'], ...runner }

export default defineConfig({
  test: {
    // Only here: vitest does not read it from a project. Files that are in order share what is loaded: 75 s instead of 100.
    sequence: { shuffle: { tests: true, files: false }, ...(SEED && { seed: Number(SEED) }) },
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
          exclude: [...OWN, ...THOROUGH, ...ELSEWHERE],
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'thorough',
          include: THOROUGH,
          exclude: [...OWN, ...ELSEWHERE],
          isolate: false,
          globalSetup: ['test/support/tools.ts'],
        },
      },
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
