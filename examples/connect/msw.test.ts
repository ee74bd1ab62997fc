// Mock Service Worker sends requests to the gateway, from every client in the process. Here: the global fetch, and ngrok's
// official TypeScript client, which uses node:http. No port.
import { Ngrok } from '@ngrok/ngrok-api'
import { handlers } from 'fauxgate/msw'
import { createNgrok } from 'fauxgate/ngrok'
import { testUsing } from 'fauxgate/vitest'
import { setupServer } from 'msw/node'
import { expect, onTestFinished } from 'vitest'

const test = testUsing((options) => createNgrok({ emptyJsonOnDelete: true, ...options }))

/** Starts Mock Service Worker for a test. */
function startWorker(gateway: Parameters<typeof handlers>[0]) {
  const server = setupServer(...handlers(gateway))
  server.listen({ onUnhandledRequest: 'error' })
  onTestFinished(() => server.close())
}

test('the official client reaches the gateway', async ({ gateway }) => {
  startWorker(gateway)
  const client = new Ngrok({ apiToken: 'any key' })
  const { id } = await client.reservedDomains.create({ domain: 'app.example.com', region: '' })
  expect(gateway.reservedDomains.get(id).domain).toBe('app.example.com')
  const again = client.reservedDomains.create({ domain: 'app.example.com', region: '' })
  await expect(again).rejects.toMatchObject({ errorCode: 'ERR_NGROK_413' })
})

test('the global fetch loses a connection', async ({ gateway }) => {
  startWorker(gateway)
  gateway.faults.add({ operation: 'reserved_domains.list', times: 1, drop: true })
  const headers = { authorization: 'Bearer any key', 'ngrok-version': '2' }
  const list = () => fetch(`${gateway.url}/reserved_domains`, { headers })
  await expect(list()).rejects.toThrow(TypeError)
  expect((await list()).status).toBe(200)
})
