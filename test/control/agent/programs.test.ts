import { afterEach, expect, test } from 'vitest'
import { createWithAgent } from './agent.ts'

const original = globalThis.fetch
afterEach(() => {
  globalThis.fetch = original
})

/** Waits for the first URL, as scripts of Node do. `pause` is called between two attempts. */
async function waitForUrl(pause: () => void): Promise<string> {
  for (let attempt = 0; attempt < 30; attempt++) {
    try {
      const response = await fetch('http://127.0.0.1:4040/api/tunnels')
      const { tunnels } = (await response.json()) as { tunnels: { public_url: string; proto: string }[] }
      const tunnel = tunnels.find(({ proto }) => proto === 'https')
      if (tunnel) return tunnel.public_url
    } catch (error) {
      if ((error as { cause?: { code?: string } }).cause?.code !== 'ECONNREFUSED') throw error
    }
    pause()
  }
  throw new Error('The agent has no URL.')
}

test('a loop of Node waits for an agent that is down and then slow', async () => {
  const { gateway } = createWithAgent()
  gateway.install({ agent: true, others: 'refuse' })
  gateway.agent.set({ down: true, urlAfter: '2s' })
  await gateway.agent.start({ addr: 3000 })
  let pauses = 0
  const url = await waitForUrl(() => {
    pauses++
    if (pauses === 3) gateway.agent.set({ down: false })
    gateway.clock.advance('500ms')
  })
  expect(url).toBe(gateway.endpoints.list().endpoints[0]?.url)
  expect(pauses).toBe(4)
})

/** Does what pyngrok does: starts a tunnel by its own name, and then asks for it until it has a URL. */
async function connectAsPyngrok(call: ReturnType<typeof createWithAgent>['call'], pause: () => void) {
  const name = 'http-8000-5e0b8a0c-6a11-4c39-9df1-0d5a1f0f0001'
  const options = { proto: 'http', schemes: ['https'], name, addr: '8000' }
  const made = await call('POST', '/api/tunnels', options)
  expect(made.status).toBe(201)
  let tunnel = made.body
  while (!tunnel.public_url) {
    pause()
    tunnel = (await call('GET', tunnel.uri)).body
  }
  return tunnel
}

test('pyngrok connects, lists and disconnects', async () => {
  const { gateway, call, names } = createWithAgent()
  gateway.agent.set({ urlAfter: '2s' })
  const tunnel = await connectAsPyngrok(call, () => gateway.clock.advance('1s'))
  expect(tunnel).toMatchObject({ proto: 'https', config: { addr: 'http://localhost:8000', inspect: true } })
  expect(await names()).toEqual([tunnel.name])
  expect((await call('GET', tunnel.uri)).body.metrics.http.count).toBe(0)
  expect((await call('DELETE', tunnel.uri)).status).toBe(204)
})

/** Tells whether the npm package `ngrok` tries again: it knows sentences of the agent, and no other. */
const isRetriable = ({ status, body }: { status: number; body: { details?: { err?: string } } }) =>
  status === 502 && body.details?.err === 'tunnel session not ready yet'

test('the npm package ngrok does not try a rejected start again', async () => {
  const { call } = createWithAgent({ account: { limits: { agents: 0 } } })
  const refused = await call('POST', '/api/tunnels', { addr: 80, name: 'web' })
  expect([refused.status, isRetriable(refused)]).toEqual([502, false])
  expect(refused.body.details.err).toContain('ERR_NGROK_108')
})

test('the npm package ngrok replays a request, with a field that agents do not know', async () => {
  const { gateway, call } = createWithAgent()
  const { public_url } = await gateway.agent.start({ addr: 3000 })
  await gateway.traffic.fetch(public_url)
  const [{ id, tunnel_name }] = (await call('GET', '/api/requests/http')).body.requests
  expect((await call('POST', '/api/requests/http', { id, tunnelName: tunnel_name })).status).toBe(204)
  // pyngrok sends this.
  expect((await call('POST', '/api/requests/http', { id, tunnel_name: null })).status).toBe(204)
  expect((await call('GET', '/api/requests/http')).body.requests).toHaveLength(3)
})
