// Compares gateway.fetch with a bare fetch handler that does the same JSON and Map work and checks nothing.
import { createGateway } from '../../dist/index.js'
import { format, print, race } from './measure.mjs'

const BASE = 'https://api.gateway.test'
const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }
const body = () => JSON.stringify({ description: 'SSH for device 1', metadata: '{"proto":"ssh"}' })

/** Returns a handler that does the same work without rules: it stores a record from the body in a Map, and reads it. */
function createBareHandler() {
  const records = new Map()
  let count = 0
  return async (input, init) => {
    const request = new Request(input, init)
    const path = new URL(request.url).pathname
    if (request.method === 'POST') {
      const sent = await request.json()
      const id = `ra_${String(count++).padStart(27, '0')}`
      const record = {
        id,
        uri: `${BASE}/reserved_addrs/${id}`,
        created_at: '2026-01-01T00:00:00Z',
        ...sent,
        addr: 'a:1',
      }
      records.set(id, record)
      return Response.json(record, { status: 201 })
    }
    return Response.json(records.get(path.slice('/reserved_addrs/'.length)))
  }
}

/** Creates a record with a fetch function, and returns the calls to measure. */
async function createCalls(fetch) {
  const created = await (await fetch(`${BASE}/reserved_addrs`, { method: 'POST', headers, body: body() })).json()
  const one = `${BASE}/reserved_addrs/${created.id}`
  return {
    get: async () => (await fetch(one, { headers })).json(),
    post: async () => (await fetch(`${BASE}/reserved_addrs`, { method: 'POST', headers, body: body() })).json(),
    getRequest: async () => (await fetch(new Request(one, { headers }))).json(),
    postRequest: async () =>
      (await fetch(new Request(`${BASE}/reserved_addrs`, { method: 'POST', headers, body: body() }))).json(),
  }
}

export async function benchHttp() {
  for (const [name, kind, target] of [
    ['GET', 'get', 'at least 0.8'],
    ['POST', 'post', 'at least 0.7'],
    ['GET with a Request', 'getRequest', 'at least 0.95'],
    ['POST with a Request', 'postRequest', 'at least 0.9'],
  ]) {
    const bareCalls = await createCalls(createBareHandler())
    const gatewayCalls = await createCalls(createGateway({ seed: 'bench' }).fetch)
    const rates = await race({ bare: bareCalls[kind], gateway: gatewayCalls[kind] })
    print(`${name}: bare handler, calls/s`, format(rates.bare))
    print(`${name}: gateway.fetch, calls/s`, format(rates.gateway))
    print(`${name}: ratio`, (rates.gateway / rates.bare).toFixed(2), target)
  }
}
