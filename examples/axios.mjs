// Serve a gateway on a loopback port, for clients that use node:http. Here: axios with its usual adapter.
import assert from 'node:assert/strict'
import axios from 'axios'
import { manualClock } from 'fauxgate'
import { createNgrok } from 'fauxgate/ngrok'
import { serve } from 'fauxgate/node'

const gateway = createNgrok({ clock: manualClock('2026-01-01T00:00:00Z'), seed: 'axios' })
const server = await serve(gateway, { port: 0 })
try {
  const headers = { authorization: 'Bearer any key', 'ngrok-version': '2' }
  const client = axios.create({ baseURL: server.url, headers, proxy: false })
  const policy = { authority: 'letsencrypt' }
  const { data } = await client.post('/reserved_domains', {
    domain: 'app.example.com',
    certificate_management_policy: policy,
  })
  gateway.clock.advance('30s')
  const issued = await client.get(`/reserved_domains/${data.id}`)
  assert.match(issued.data.certificate.uri, new RegExp(`^${server.url}/tls_certificates/`))

  gateway.faults.add({ operation: 'reserved_domains.get', times: 1, status: 503, retryAfter: '2s' })
  gateway.faults.add({ operation: 'reserved_domains.get', times: 1, drop: true })
  const read = client.get(`/reserved_domains/${data.id}`)
  await assert.rejects(read, ({ response }) => response.status === 503 && response.headers['retry-after'] === '2')
  await assert.rejects(client.get(`/reserved_domains/${data.id}`), { code: 'ECONNRESET' })
  console.log(`axios saw ${issued.data.certificate.id}, a 503 and a broken connection at ${server.url}`)
} finally {
  await server.close()
}
