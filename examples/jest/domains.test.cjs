// Jest: a new gateway before each test; there is nothing to close afterwards.
const { createGateway, manualClock } = require('fauxgate')

const headers = { authorization: 'Bearer any key', 'service-version': '2', 'content-type': 'application/json' }

/** The code under test: reserves a domain, and tries once more when the service is overloaded. */
async function reserve(domain, { fetch, baseUrl }) {
  const request = { method: 'POST', headers, body: JSON.stringify({ domain }) }
  const first = await fetch(`${baseUrl}/reserved_domains`, request)
  const answer = first.status === 503 ? await fetch(`${baseUrl}/reserved_domains`, request) : first
  if (!answer.ok) throw new Error(`${domain} was not reserved: ${answer.status}`)
  return answer.json()
}

let gateway
beforeEach(() => {
  gateway = createGateway({ clock: manualClock('2026-01-01T00:00:00Z'), seed: expect.getState().currentTestName })
})

test('reserves a domain', async () => {
  const { id } = await reserve('app.example.com', { fetch: gateway.fetch, baseUrl: gateway.url })
  expect(gateway.reservedDomains.get(id).domain).toBe('app.example.com')
})

test('tries once more', async () => {
  gateway.faults.add({ operation: 'reserved_domains.create', times: 1, status: 503 })
  await reserve('app.example.com', { fetch: gateway.fetch, baseUrl: gateway.url })
  expect(gateway.requests.all().map(({ status }) => status)).toEqual([503, 201])
  gateway.faults.assertNoPendingFaults()
})

test('gives up after that', async () => {
  gateway.faults.add({ operation: 'reserved_domains.create', times: 2, status: 503 })
  await expect(reserve('app.example.com', { fetch: gateway.fetch, baseUrl: gateway.url })).rejects.toThrow('503')
  expect(gateway.leftovers()).toEqual([])
})
