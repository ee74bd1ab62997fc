// Deno: a gateway for each test, and the same as a server, since Deno has node:http.
import assert from 'node:assert/strict'
import { createNgrok } from 'fauxgate/ngrok'
import { serve } from 'fauxgate/node'
import { testWithGateway } from 'fauxgate/testing'

const test = testWithGateway(Deno.test, { create: createNgrok })

const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }

/** The code under test: reserves a domain, with the global fetch. */
async function reserve(domain: string, baseUrl: string) {
  const body = JSON.stringify({ domain, certificate_management_policy: { authority: 'letsencrypt' } })
  const response = await fetch(`${baseUrl}/reserved_domains`, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`${domain} was not reserved: ${response.status}`)
  return response.json()
}

test('a domain gets its certificate', async ({ gateway }) => {
  gateway.install()
  const { id } = await reserve('app.example.com', gateway.url)
  assert.equal(gateway.reservedDomains.get(id).certificate, null)
  await gateway.clock.advanceAsync('30s')
  assert.notEqual(gateway.reservedDomains.get(id).certificate, null)
})

test('a failure is reported', async ({ gateway }) => {
  gateway.install()
  gateway.faults.add({ operation: 'reserved_domains.create', times: 1, status: 503 })
  await assert.rejects(reserve('app.example.com', gateway.url), /503/)
  assert.deepEqual(gateway.leftovers(), [])
})

test('a broken connection is one', async ({ gateway }) => {
  const server = await serve(gateway)
  try {
    gateway.faults.add({ operation: 'reserved_domains.create', times: 1, drop: true })
    await assert.rejects(reserve('app.example.com', server.url))
    const { id } = await reserve('app.example.com', server.url)
    assert.equal(gateway.reservedDomains.get(id).domain, 'app.example.com')
  } finally {
    await server.close()
  }
})
