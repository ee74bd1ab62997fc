// Mock Service Worker sends requests to the gateway, from every client in the process. Here: the global fetch, and ngrok's
// official TypeScript client, which uses node:http. No port.
import assert from 'node:assert/strict'
import { Ngrok } from '@ngrok/ngrok-api'
import { handlers } from 'fauxgate/msw'
import { createNgrok } from 'fauxgate/ngrok'
import { setupServer } from 'msw/node'

const gateway = createNgrok({ emptyJsonOnDelete: true, seed: 'msw' })
const server = setupServer(...handlers(gateway))
server.listen({ onUnhandledRequest: 'error' })
try {
  const client = new Ngrok({ apiToken: 'any key' })
  const { id } = await client.reservedDomains.create({ domain: 'app.example.com' })
  assert.equal(gateway.reservedDomains.get(id).domain, 'app.example.com')
  await assert.rejects(client.reservedDomains.create({ domain: 'app.example.com' }), { errorCode: 'ERR_NGROK_413' })

  gateway.faults.add({ operation: 'reserved_domains.get', times: 1, drop: true })
  const read = () =>
    fetch(`${gateway.url}/reserved_domains/${id}`, { headers: { authorization: 'Bearer k', 'ngrok-version': '2' } })
  await assert.rejects(read(), TypeError)
  assert.equal((await read()).status, 200)
  console.log(`reserved ${id} with the official client at ${gateway.url}; the global fetch lost one connection`)
} finally {
  server.close()
}
