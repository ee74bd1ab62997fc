// vitest's fake timers: a gateway on the system clock follows them, and so do its delayed responses.
import { createNgrok } from 'fauxgate/ngrok'
import { testUsing } from 'fauxgate/vitest'
import { afterEach, beforeEach, expect, vi } from 'vitest'

const test = testUsing(createNgrok, { clock: 'system' })

const headers = { authorization: 'Bearer any key', 'ngrok-version': '2' }

/** The code under test: waits until a domain has its certificate, with a request every 7 s. */
async function waitForCertificate(id: string, { fetch, baseUrl }: { fetch: typeof globalThis.fetch; baseUrl: string }) {
  for (;;) {
    const response = await fetch(`${baseUrl}/reserved_domains/${id}`, { headers })
    const { certificate } = await response.json()
    if (certificate) return new Date().toISOString()
    await new Promise((resolve) => setTimeout(resolve, 7000))
  }
}

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') }))
afterEach(() => void vi.useRealTimers())

const reserve = (gateway: ReturnType<typeof createNgrok>) => {
  const policy = { authority: 'letsencrypt' }
  return gateway.reservedDomains.create({ domain: 'app.example.com', certificate_management_policy: policy }).id
}

test('an application that polls sees the certificate in time', async ({ gateway }) => {
  const at = waitForCertificate(reserve(gateway), { fetch: gateway.fetch, baseUrl: gateway.url })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await at).toBe('2026-01-01T00:00:35.000Z')
})

test('settled() waits for fake time', async ({ gateway }) => {
  const settled = gateway.provisioning.settled(reserve(gateway))
  await vi.advanceTimersByTimeAsync(30_000)
  expect((await settled).certificate).not.toBeNull()
})

test('a delayed response arrives in fake time', async ({ gateway }) => {
  gateway.faults.add({ latency: '2s' })
  const response = gateway.fetch(`${gateway.url}/reserved_domains`, { headers })
  await vi.advanceTimersByTimeAsync(1999)
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect((await response).status).toBe(200)
})
