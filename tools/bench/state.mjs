// Measures snapshots and resets, and compares gateway.fetch with Mock Service Worker with a Map.
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { createGateway, manualClock } from '../../dist/index.js'
import { certificatePair } from '../../dist/testing.js'
import { format, print, rate, time } from './measure.mjs'

export async function benchState() {
  const gateway = createGateway({ seed: 'bench' })
  for (let i = 0; i < 1000; i++)
    gateway.weightedBackends.create({ description: `backend ${i}`, backends: { bkdhr_1: i } })
  const rateOfBoth = await rate(() => gateway.restore(gateway.snapshot()))
  print('snapshot and restore of 1,000 resources, ms', (1000 / rateOfBoth).toFixed(3), 'under 1')
  const text = JSON.stringify(gateway.snapshot())
  const read = await rate(() => gateway.restore(JSON.parse(text)))
  print('restore of 1,000 resources from JSON, ms', (1000 / read).toFixed(3))
  const small = createGateway({ seed: 'bench' })
  const resets = await rate(() => {
    small.reservedAddrs.create()
    small.reset()
  })
  print('create one resource and reset(), µs', (1_000_000 / resets).toFixed(1), 'under 200')
  const fixtures = await rate(() => void createGateway({ seed: 'a test', clock: manualClock('2026-01-01T00:00:00Z') }))
  print('a fresh fixture: gateway and manual clock, µs', (1_000_000 / fixtures).toFixed(1), 'under 100')
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  await time(() => small.reset(), 100_000)
  globalThis.gc?.()
  print('heap growth over 100,000 resets, kB', ((process.memoryUsage().heapUsed - before) / 1000).toFixed(0), 'none')
  const pairs = await rate(() => void certificatePair({ names: ['app.example.com'] }), 5)
  print('fauxgate/testing: an ECDSA pair, ms', (1000 / pairs).toFixed(2), 'under 5')
  const rsa = await rate(() => void certificatePair({ keyType: 'rsa' }), 5)
  print('fauxgate/testing: a self-signed RSA pair, ms', (1000 / rsa).toFixed(2), 'under 5')
}

export async function benchMsw() {
  const base = 'https://msw.gateway.test'
  const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }
  const records = new Map()
  const server = setupServer(
    http.post(`${base}/reserved_addrs`, async ({ request }) => {
      const id = `ra_${String(records.size).padStart(27, '0')}`
      records.set(id, { id, uri: `${base}/reserved_addrs/${id}`, ...(await request.json()) })
      return HttpResponse.json(records.get(id), { status: 201 })
    }),
    http.get(`${base}/reserved_addrs/:id`, ({ params }) => HttpResponse.json(records.get(params.id))),
  )
  const gateway = createGateway({ seed: 'bench' })
  const body = JSON.stringify({ description: 'x' })
  const createCalls = async (fetch, url) => {
    const { id } = await (await fetch(`${url}/reserved_addrs`, { method: 'POST', headers, body })).json()
    return {
      get: async () => (await fetch(`${url}/reserved_addrs/${id}`, { headers })).json(),
      post: async () => (await fetch(`${url}/reserved_addrs`, { method: 'POST', headers, body })).json(),
    }
  }
  // While MSW listens, it slows down the platform's Headers and Response, so it listens only during its own
  // measurements.
  const gatewayCalls = await createCalls(gateway.fetch, gateway.url)
  const gatewayRates = { get: await rate(gatewayCalls.get), post: await rate(gatewayCalls.post) }
  server.listen({ onUnhandledRequest: 'bypass' })
  const mswCalls = await createCalls(globalThis.fetch, base)
  for (const kind of ['get', 'post']) {
    const msw = await rate(mswCalls[kind])
    print(`${kind.toUpperCase()}: MSW 2 with a Map, calls/s`, format(msw))
    print(`${kind.toUpperCase()}: gateway.fetch over MSW 2`, (gatewayRates[kind] / msw).toFixed(1), 'at least 8')
  }
  server.close()
}
