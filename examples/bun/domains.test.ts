// Bun: a gateway for each test, and the same as a server, since Bun has node:http.
import { test as base, expect } from 'bun:test'
import { createNgrok } from 'fauxgate/ngrok'
import { serve } from 'fauxgate/node'
import { matchers, testWithGateway } from 'fauxgate/testing'

expect.extend(matchers)
const test = testWithGateway(base, { create: createNgrok })

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
  expect(gateway).not.toHaveCertificate(id)
  await gateway.clock.advanceAsync('30s')
  expect(gateway).toHaveCertificate(id)
})

test('a failure is reported', async ({ gateway }) => {
  gateway.install()
  gateway.faults.add({ operation: 'reserved_domains.create', times: 1, status: 503 })
  await expect(reserve('app.example.com', gateway.url)).rejects.toThrow('503')
  expect(gateway).toHaveNoLeftovers()
})

test('a broken connection is one', async ({ gateway }) => {
  const server = await serve(gateway)
  try {
    gateway.faults.add({ operation: 'reserved_domains.create', times: 1, drop: true })
    await expect(reserve('app.example.com', server.url)).rejects.toThrow()
    const { id } = await reserve('app.example.com', server.url)
    expect(gateway.reservedDomains.get(id).domain).toBe('app.example.com')
  } finally {
    await server.close()
  }
})
