// Clients with the URL built in: ky uses the global fetch, those on node:http use Mock Service Worker, and undici its dispatcher.
import { handlers } from 'fauxgate/msw'
import { createNgrok } from 'fauxgate/ngrok'
import { serve } from 'fauxgate/node'
import { testUsing } from 'fauxgate/vitest'
import { setupServer } from 'msw/node'
import { describe, expect, onTestFinished } from 'vitest'
import { onFetch, onNodeHttp, onUndici, type Reserve } from './clients.ts'
import { undiciTo } from './undici-to.ts'

const test = testUsing((options) => createNgrok({ baseUrl: 'https://gateway.example', ...options }))
type Gateway = ReturnType<typeof createNgrok>

/** Reserves a domain, reserves it again, and loses a connection, however the client's requests arrive. */
async function check(gateway: Gateway, reserve: Reserve) {
  const id = await reserve('app.example.com')
  expect(gateway.reservedDomains.get(id).domain).toBe('app.example.com')
  await expect(reserve('app.example.com')).rejects.toThrow()
  gateway.faults.add({ operation: 'reserved_domains.create', times: 1, drop: true })
  await expect(reserve('other.example.com')).rejects.toThrow()
  expect(gateway).toHaveBeenRequested('reserved_domains.create', { times: 3 })
}

describe('On the global fetch, by install()', () => {
  test.for(Object.entries(onFetch))('%s', async ([, reserve], { gateway }) => {
    gateway.install()
    await check(gateway, reserve)
  })
})

describe('On node:http, by Mock Service Worker', () => {
  test.for(Object.entries(onNodeHttp))('%s', async ([, reserve], { gateway }) => {
    const server = setupServer(...handlers(gateway))
    server.listen({ onUnhandledRequest: 'error' })
    onTestFinished(() => server.close())
    await check(gateway, reserve)
  })
})

describe('On undici, by its dispatcher', () => {
  test.for(Object.entries(onUndici))('%s', async ([, reserve], { gateway }) => {
    const server = await serve(gateway)
    const undo = undiciTo('https://gateway.example', server.url)
    onTestFinished(async () => {
      undo()
      await server.close()
    })
    await check(gateway, reserve)
  })
})
