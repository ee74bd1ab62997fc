// Clients with the URL built in: ky uses the global fetch, those on node:http use Mock Service Worker, and undici its dispatcher.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { handlers } from 'fauxgate/msw'
import { createNgrok } from 'fauxgate/ngrok'
import { serve } from 'fauxgate/node'
import { setupServer } from 'msw/node'
import { onFetch, onNodeHttp, onUndici } from './clients.mjs'
import { undiciTo } from './undici-to.mjs'

const gateway = createNgrok({ baseUrl: 'https://gateway.example', seed: 'clients' })

beforeEach(() => gateway.reset())

/** Returns a test of a client, for any way in which its requests arrive. */
function createTest(reserve) {
  return async () => {
    const id = await reserve('app.example.com')
    assert.equal(gateway.reservedDomains.get(id).domain, 'app.example.com')
    await assert.rejects(reserve('app.example.com'))
    gateway.faults.add({ operation: 'reserved_domains.create', times: 1, drop: true })
    await assert.rejects(reserve('other.example.com'))
    assert.equal(gateway.requests.count({ operation: 'reserved_domains.create' }), 3)
  }
}

describe('On the global fetch, by install()', () => {
  let installed
  before(() => {
    installed = gateway.install({ others: 'refuse' })
  })
  after(() => installed.uninstall())

  for (const [name, reserve] of Object.entries(onFetch)) test(name, createTest(reserve))
})

describe('On node:http, by Mock Service Worker', () => {
  const server = setupServer(...handlers(gateway))
  before(() => server.listen({ onUnhandledRequest: 'error' }))
  after(() => server.close())

  for (const [name, reserve] of Object.entries(onNodeHttp)) test(name, createTest(reserve))
})

describe('On undici, by its dispatcher', () => {
  let server
  let undo
  before(async () => {
    server = await serve(gateway)
    undo = undiciTo(gateway.url, server.url)
  })
  after(async () => {
    undo()
    await server.close()
  })

  for (const [name, reserve] of Object.entries(onUndici)) test(name, createTest(reserve))
})
