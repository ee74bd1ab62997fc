// Jest: a gateway for each test, with a report if it fails. A passing test leaves no fault or outcome unused.
const { createNgrok } = require('fauxgate/ngrok')
const { testWithGateway } = require('fauxgate/testing')

const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }

/** The code under test: reserves a domain, and tries once more if the service is overloaded. */
async function reserve(domain, { fetch, baseUrl }) {
  const request = { method: 'POST', headers, body: JSON.stringify({ domain }) }
  const first = await fetch(`${baseUrl}/reserved_domains`, request)
  const answer = first.status === 503 ? await fetch(`${baseUrl}/reserved_domains`, request) : first
  if (!answer.ok) throw new Error(`${domain} was not reserved: ${answer.status}`)
  return answer.json()
}

const it = testWithGateway(test, { create: createNgrok })

it('reserves a domain', async ({ gateway }) => {
  const { id } = await reserve('app.example.com', { fetch: gateway.fetch, baseUrl: gateway.url })
  expect(gateway.reservedDomains.get(id).domain).toBe('app.example.com')
})

it('tries once more', async ({ gateway }) => {
  gateway.faults.add({ operation: 'reserved_domains.create', times: 1, status: 503 })
  await reserve('app.example.com', { fetch: gateway.fetch, baseUrl: gateway.url })
  expect(gateway).toHaveBeenRequested('reserved_domains.create', { times: 2 })
})

it('gives up after that', async ({ gateway }) => {
  gateway.faults.add({ operation: 'reserved_domains.create', times: 2, status: 503 })
  await expect(reserve('app.example.com', { fetch: gateway.fetch, baseUrl: gateway.url })).rejects.toThrow('503')
  expect(gateway).toHaveNoLeftovers()
})
