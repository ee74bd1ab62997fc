// fauxgate/vitest: each test has its own gateway, so tests can run concurrently.
import { createNgrok } from 'fauxgate/ngrok'
import { testUsing } from 'fauxgate/vitest'
import { describe, expect } from 'vitest'

const test = testUsing(createNgrok)

const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }

/** The code under test: reserves a domain with an automatic certificate. */
async function reserve(domain: string, { fetch, baseUrl }: { fetch: typeof globalThis.fetch; baseUrl: string }) {
  const policy = { authority: 'letsencrypt' }
  const sent = JSON.stringify({ domain, certificate_management_policy: policy })
  const response = await fetch(`${baseUrl}/reserved_domains`, { method: 'POST', headers, body: sent })
  const body = await response.json()
  if (!response.ok) throw new Error(`${domain} was not reserved: ${body.status_code} ${body.error_code}`)
  return body
}

describe.concurrent('reserve', () => {
  test('starts a provisioning job', async ({ gateway }) => {
    const { id } = await reserve('app.example.com', { fetch: gateway.fetch, baseUrl: gateway.url })
    expect(gateway.reservedDomains.get(id).certificate).toBeNull()
    gateway.clock.advance('30s')
    expect(gateway.reservedDomains.get(id).certificate).not.toBeNull()
  })

  // The same name is free again: tests do not share a gateway.
  test('reports a failure', async ({ gateway }) => {
    gateway.faults.add({ operation: 'reserved_domains.create', times: 1, status: 503 })
    const to = { fetch: gateway.fetch, baseUrl: gateway.url }
    await expect(reserve('app.example.com', to)).rejects.toThrow('503')
    expect(gateway.leftovers()).toEqual([])
  })
})

describe('with an account that has a domain already', () => {
  test.override('gatewayOptions', { initial: { reservedDomains: [{ domain: 'app.example.com' }] } })

  test('the same name is rejected', async ({ gateway }) => {
    await expect(reserve('app.example.com', { fetch: gateway.fetch, baseUrl: gateway.url })).rejects.toThrow(
      'ERR_NGROK_413',
    )
  })
})
