// Serve a gateway on a loopback port, for clients that use node:http. Here: axios with its usual adapter.
import axios from 'axios'
import { createNgrok } from 'fauxgate/ngrok'
import { serve } from 'fauxgate/node'
import { testUsing } from 'fauxgate/vitest'
import { expect, onTestFinished } from 'vitest'

const test = testUsing(createNgrok)
const headers = { authorization: 'Bearer any key', 'ngrok-version': '2' }

/** Serves a gateway for a test, and returns a client of the server. */
async function connect(gateway: Parameters<typeof serve>[0]) {
  const server = await serve(gateway)
  onTestFinished(() => server.close())
  return axios.create({ baseURL: server.url, headers, proxy: false })
}

test('a domain gets its certificate', async ({ gateway }) => {
  const client = await connect(gateway)
  const body = { domain: 'app.example.com', certificate_management_policy: { authority: 'letsencrypt' } }
  const { data } = await client.post('/reserved_domains', body)
  gateway.clock.advance('30s')
  const issued = await client.get(`/reserved_domains/${data.id}`)
  expect(issued.data.certificate.uri).toContain(`${client.defaults.baseURL}/tls_certificates/`)
})

test('a 503 and a broken connection look real', async ({ gateway }) => {
  const client = await connect(gateway)
  gateway.faults.add({ operation: 'reserved_domains.list', times: 1, status: 503, retryAfter: '2s' })
  const response = { status: 503, headers: { 'retry-after': '2' } }
  await expect(client.get('/reserved_domains')).rejects.toMatchObject({ response })
  gateway.faults.add({ operation: 'reserved_domains.list', times: 1, drop: true })
  await expect(client.get('/reserved_domains')).rejects.toMatchObject({ code: 'ECONNRESET' })
})
