import { Ngrok } from '@ngrok/ngrok-api'
import { transform } from 'esbuild'
import { setupServer } from 'msw/node'
import * as valibot from 'valibot'
import { expect, onTestFinished, vi } from 'vitest'
import * as ngrokEntry from '../../src/gateway/ngrok.ts'
import * as main from '../../src/index.ts'
import * as node from '../../src/server/node.ts'
import * as kit from '../../src/service/kit/index.ts'
import * as clock from '../../src/testing/clock.ts'
import { installGlobals } from '../../src/testing/install-globals.ts'
import * as msw from '../../src/testing/msw.ts'
import * as testing from '../../src/testing/testing.ts'
import type { UsingOptions } from '../../src/testing/vitest.ts'
import { memoryStore } from '../support/memory-store.ts'
import { hasSqlite, newFile } from '../support/sqlite.ts'
import { listBlocksOf } from './blocks.ts'

// As `fauxgate/vitest` does when a test file imports it.
expect.extend(testing.matchers)

/** The promises of the tests of a block. */
export const testPromises: unknown[] = []

/** Creates a test runner that runs tests immediately, for the blocks that set up a runner. */
const createRunner = (create: (options: main.GatewayOptions) => main.Gateway = createTestGateway) => {
  let options: main.GatewayOptions = {}
  const test = (_name: string, work: (fixtures: object) => unknown) =>
    void testPromises.push(work({ gateway: create(options) }))
  const override = (name: string, value: unknown) => {
    if (name !== 'gatewayOptions' || typeof value !== 'object' || !value) return
    options = value
    onTestFinished(() => {
      options = {}
    })
  }
  return Object.assign(test, { override, extend: () => test, concurrent: test })
}

/** Creates a test runner with the gateways of a function, on a manual clock. */
const testUsing = (create: typeof ngrokEntry.createNgrok, { globals, clock }: UsingOptions = {}) =>
  createRunner((options) => {
    const manual = clock !== 'system' && { clock: main.manualClock('2026-01-01T00:00:00Z') }
    const gateway = uninstallAtEnd(create({ ...manual, ...options }))
    const timers = globals && installGlobals(gateway, globals, () => undefined)
    if (timers) onTestFinished(timers.restore)
    return gateway
  })

function createTestGateway(options: main.GatewayOptions): main.Gateway {
  return uninstallAtEnd(main.createGateway({ clock: main.manualClock('2026-01-01T00:00:00Z'), ...options }))
}

/** Uninstalls a gateway after the block, as `fauxgate/vitest` does after its test. */
function uninstallAtEnd<G extends main.Gateway>(gateway: G): G {
  const { install } = gateway
  gateway.install = (installOptions) => {
    const installation = install(installOptions)
    onTestFinished(() => installation.uninstall())
    return installation
  }
  return gateway
}

/** Opens a store in its own file, or in memory on a Node without SQLite. */
function openStore() {
  if (!hasSqlite) return { ...memoryStore(), close: () => undefined }
  return node.sqliteStore(newFile())
}

/** Runs a hook of a block immediately. */
const runNow = (work: () => unknown) => work()

/** The modules that a block can import. */
export const modules: Record<string, object> = {
  fauxgate: main,
  'fauxgate/clock': clock,
  'fauxgate/kit': kit,
  'fauxgate/msw': msw,
  'fauxgate/ngrok': ngrokEntry,
  'fauxgate/node': { ...node, sqliteStore: () => openStore() },
  'fauxgate/testing': testing,
  'fauxgate/vitest': { test: createRunner(), testOnSystemClock: createRunner(), testUsing },
  '@ngrok/ngrok-api': { Ngrok },
  'msw/node': { setupServer },
  valibot,
  '@jest/globals': { expect, test: createRunner() },
  'node:assert/strict': { deepEqual: (actual: unknown, expected: unknown) => expect(actual).toEqual(expected) },
  'node:test': { beforeEach: runNow, afterEach: () => undefined, test: createRunner() },
  vitest: {
    expect,
    vi,
    test: createRunner(),
    describe: (_name: string, work: () => unknown) => work(),
    beforeEach: runNow,
    afterEach: (work: () => void) => void onTestFinished(work),
    afterAll: (work: () => void) => void onTestFinished(work),
  },
  './addresses.ts': await readAddresses(),
}

/** Returns the exports of the last `addresses.ts` in the guide to `survives`. */
async function readAddresses(): Promise<object> {
  const { code = '' } = listBlocksOf('docs/survives.md').findLast(({ file }) => file === 'addresses.ts') ?? {}
  const { code: script } = await transform(code, { loader: 'ts', format: 'cjs', target: 'es2022' })
  const module = { exports: {} }
  new Function('module', script)(module)
  return module.exports
}
