// node:test: a gateway for each test, with a report if it fails. A passing test leaves no fault or outcome unused.
import assert from 'node:assert/strict'
import { test as base } from 'node:test'
import { createNgrok } from 'fauxgate/ngrok'
import { testWithGateway } from 'fauxgate/testing'

const headers = { authorization: 'Bearer any key', 'ngrok-version': '2' }

/** The code under test: returns the names of all domains, from all pages of the list. */
async function listNames({ fetch, baseUrl }) {
  const names = []
  for (let page = `${baseUrl}/reserved_domains?limit=2`; page; ) {
    const answer = await fetch(page, { headers })
    if (!answer.ok) throw new Error(`The list answered ${answer.status}`)
    const { reserved_domains, next_page_uri } = await answer.json()
    names.push(...reserved_domains.map(({ domain }) => domain))
    page = next_page_uri
  }
  return names
}

const test = testWithGateway(base, { create: createNgrok })

test('returns no names for an empty account', async ({ gateway }) => {
  assert.deepEqual(await listNames({ fetch: gateway.fetch, baseUrl: gateway.url }), [])
})

test('reads every page', async ({ gateway }) => {
  for (const name of ['a', 'b', 'c']) gateway.reservedDomains.create({ domain: `${name}.example.com` })
  const names = await listNames({ fetch: gateway.fetch, baseUrl: gateway.url })
  assert.deepEqual(names, ['c.example.com', 'b.example.com', 'a.example.com'])
  assert.equal(gateway.requests.count(), 2)
})

test('reports a response that is no list', async ({ gateway }) => {
  gateway.faults.add({ operation: 'reserved_domains.list', status: 502, body: '<h1>Bad gateway</h1>' })
  await assert.rejects(listNames({ fetch: gateway.fetch, baseUrl: gateway.url }), /502/)
})
