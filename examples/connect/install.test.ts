// Install the gateway as the global fetch, for code that takes no fetch.
import { createNgrok } from 'fauxgate/ngrok'
import { testUsing } from 'fauxgate/vitest'
import { expect } from 'vitest'

const test = testUsing((options) => createNgrok({ baseUrl: 'https://gateway.example', ...options }))

/** The code under test. */
async function reserve(domain: string): Promise<{ id: string }> {
  const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }
  const body = JSON.stringify({ domain })
  const response = await fetch('https://gateway.example/reserved_domains', { method: 'POST', headers, body })
  return response.json()
}

test('the global fetch reaches the gateway until it is uninstalled', async ({ gateway }) => {
  const before = globalThis.fetch
  const installed = gateway.install()
  const { id } = await reserve('app.example.com')
  expect(gateway.reservedDomains.get(id).domain).toBe('app.example.com')
  installed.uninstall()
  expect(globalThis.fetch).toBe(before)
})
