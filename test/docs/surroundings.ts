import { Ngrok } from '@ngrok/ngrok-api'
import { setupServer } from 'msw/node'
import * as valibot from 'valibot'
import { expect, onTestFinished, vi } from 'vitest'
import * as ngrokEntry from '../../src/gateway/ngrok.ts'
import * as main from '../../src/index.ts'
import * as node from '../../src/server/node.ts'
import * as kit from '../../src/service/kit/index.ts'
import * as clock from '../../src/testing/clock.ts'
import * as msw from '../../src/testing/msw.ts'
import * as testing from '../../src/testing/testing.ts'
import { memoryStore } from '../support/memory-store.ts'
import { hasSqlite, memoryDatabase, newFile } from '../support/sqlite.ts'

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
const testUsing = (create: typeof ngrokEntry.createNgrok) =>
  createRunner((options) => uninstallAtEnd(create({ clock: main.manualClock('2026-01-01T00:00:00Z'), ...options })))

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

/** Creates the storage of a Durable Object: a database in memory, or none on a Node without SQLite. */
function createDurableObject() {
  const database = hasSqlite ? memoryDatabase() : undefined
  return {
    storage: {
      sql: { exec: (text: string, ...values: main.SqlValue[]) => database?.prepare(text).all(...values) ?? [] },
      transactionSync: (work: () => void) => work(),
    },
  }
}

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
  valibot,
  '@jest/globals': { expect, test: createRunner() },
  vitest: {
    expect,
    vi,
    describe: (_name: string, work: () => unknown) => work(),
    afterEach: (work: () => void) => void onTestFinished(work),
  },
}

const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }

/** Reserves an address: the corrected function of the guide to `survives`. */
async function reserveAddress(url: string): Promise<string> {
  const send = async (init: RequestInit = {}) => {
    const response = await fetch(`${url}/reserved_addrs`, { headers, ...init })
    if (!response.ok) throw new Error(`The service answered ${response.status}.`)
    return response.json() as ReturnType<typeof JSON.parse>
  }
  for (let tries = 1; ; tries++) {
    try {
      const { reserved_addrs } = await send()
      const known = reserved_addrs.find((each: { description: string }) => each.description === 'app')
      return known?.id ?? (await send({ method: 'POST', body: '{"description":"app"}' })).id
    } catch (error) {
      if (tries === 5) throw error
      await new Promise((resolve) => setTimeout(resolve, tries * 1000))
    }
  }
}

/** Returns the names that a fragment may use: a gateway, and domains on the gateway if the block names them. */
export function surroundings(code: string) {
  const gateway = main.createGateway({ clock: main.manualClock('2026-01-01T00:00:00Z'), seed: 'docs' })
  const reserve = (domain: string) =>
    gateway.reservedDomains.create({ domain, certificate_management_policy: { authority: 'letsencrypt' } })
  return {
    ...main,
    ...clock,
    ...msw,
    survives: testing.survives,
    reserveAddress,
    headers,
    gateway,
    domain: /\bdomain\./.test(code) ? reserve('app.example.com') : undefined,
    wildcard: code.includes('wildcard.') ? reserve('*.example.com') : undefined,
    expect,
    yourOwnHandlers: [],
    yourOwnPlace() {
      const { commits } = memoryStore()
      return { open: () => Object.assign(memoryStore(), { commits }) }
    },
    ctx: createDurableObject(),
    beforeEach: (work: () => unknown) => work(),
    afterEach: () => undefined,
    test: createRunner(),
    provision: async (_api: { fetch: main.Fetch }): Promise<void> => Promise.reject(new Error('rolled back')),
    reuse: () => undefined,
    setupServer(...handlers: Parameters<typeof setupServer>) {
      const server = setupServer(...handlers)
      onTestFinished(() => server.close())
      return server
    },
    async provisionDomain(name: string, { fetch, baseUrl }: { fetch: main.Fetch; baseUrl: string }) {
      const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }
      const answer = await fetch(`${baseUrl}/reserved_domains`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ domain: name }),
      })
      if (answer.status !== 201) throw new Error(`The domain was not reserved: ${answer.status}.`)
    },
  }
}
