// Pass gateway.fetch to the code under test, or to a client that takes a fetch, here axios. No port, no globals.
import axios from 'axios'
import { createNgrok } from 'fauxgate/ngrok'
import { testUsing } from 'fauxgate/vitest'
import { expect } from 'vitest'

const test = testUsing(createNgrok)
const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }

interface Api {
  readonly fetch: typeof fetch
  readonly url: string
}

/** The code under test. */
async function reserve(domain: string, { fetch, url }: Api): Promise<{ id: string }> {
  const body = JSON.stringify({ domain })
  const response = await fetch(`${url}/reserved_domains`, { method: 'POST', headers, body })
  return response.json()
}

test('code that takes a fetch reaches the gateway', async ({ gateway }) => {
  const { id } = await reserve('app.example.com', gateway)
  expect(gateway.reservedDomains.get(id).domain).toBe('app.example.com')
})

test('axios takes a fetch', async ({ gateway }) => {
  const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
  const client = axios.create({ baseURL: gateway.url, headers, adapter: 'fetch', env: { fetch: gateway.fetch } })
  const { data } = await client.get('/reserved_domains')
  expect(data.reserved_domains).toMatchObject([{ id }])
})
