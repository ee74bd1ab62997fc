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

/** Faults, and what clients on fetch and on node:http see of them: a status, or the code or name of an error. */
const FAULTS = [
  [{ status: 503 }, 503, 503],
  [{ error: 'too_many_requests' }, 429, 429],
  [{ status: 502, body: '<h1>Bad gateway</h1>' }, 502, 502],
  [{ drop: true }, 'ECONNRESET', 'ECONNRESET'],
  [{ drop: true, phase: 'after' }, 'ECONNRESET', 'ECONNRESET'],
  [{ truncate: 9 }, 'SyntaxError', 'SyntaxError'],
  [{ truncate: 9, ending: 'break' }, 'UND_ERR_SOCKET', 'ECONNRESET'],
] as const

/** Returns what a client sees of each fault. */
async function seeFaults(gateway: Gateway, reserve: Reserve) {
  const seen: unknown[] = []
  for (const [index, [fault]] of FAULTS.entries()) {
    gateway.faults.add({ operation: 'reserved_domains.create', times: 1, ...fault })
    const error = await reserve(`app${index}.example.com`).catch((thrown) => thrown)
    seen.push(error.response?.status ?? error.code ?? error.cause?.code ?? error.cause?.cause?.code ?? error.name)
  }
  return seen
}

describe('On the global fetch, by install()', () => {
  test.for(Object.entries(onFetch))('%s', async ([, reserve], { gateway }) => {
    gateway.install()
    await check(gateway, reserve)
  })

  test('ky sees of each fault what fetch does', async ({ gateway }) => {
    gateway.install()
    expect(await seeFaults(gateway, onFetch.ky)).toEqual(FAULTS.map(([, byFetch]) => byFetch))
  })
})

describe('On node:http, by Mock Service Worker', () => {
  test.for(Object.entries(onNodeHttp))('%s', async ([, reserve], { gateway }) => {
    const server = setupServer(...handlers(gateway))
    server.listen({ onUnhandledRequest: 'error' })
    onTestFinished(() => server.close())
    await check(gateway, reserve)
  })

  test('superagent sees of each fault what node:http does', async ({ gateway }) => {
    const server = setupServer(...handlers(gateway))
    server.listen({ onUnhandledRequest: 'error' })
    onTestFinished(() => server.close())
    expect(await seeFaults(gateway, onNodeHttp.superagent)).toEqual(FAULTS.map(([, , byNodeHttp]) => byNodeHttp))
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
