// Pass gateway.fetch to the code under test, or to a client that takes a fetch, here axios. No port, no globals.
import assert from 'node:assert/strict'
import axios from 'axios'
import { createNgrok } from 'fauxgate/ngrok'

const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }

/** The code under test. */
async function reserve(domain, { fetch = globalThis.fetch, baseUrl }) {
  const body = JSON.stringify({ domain })
  const answer = await fetch(`${baseUrl}/reserved_domains`, { method: 'POST', headers, body })
  return answer.json()
}

const gateway = createNgrok({ seed: 'pass fetch' })
const { id } = await reserve('app.example.com', { fetch: gateway.fetch, baseUrl: gateway.url })
assert.equal(gateway.reservedDomains.get(id).domain, 'app.example.com')

const client = axios.create({ baseURL: gateway.url, headers, adapter: 'fetch', env: { fetch: gateway.fetch } })
const { data } = await client.get('/reserved_domains')
assert.equal(data.reserved_domains[0].id, id)

console.log(`reserved ${id} with gateway.fetch, and listed it with axios over gateway.fetch`)
