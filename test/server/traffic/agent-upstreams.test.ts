import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { serveTraffic } from '../../../src/server/traffic/serve-traffic.ts'
import { listen, requestBytes } from '../../support/serve.ts'

const startApp = () => listen(createServer((request, response) => response.end(`${request.method} ${request.url}`)))

/** Opens a port for visitors, without upstreams of its own. */
async function openPort(upstreamHosts: string[] = []) {
  const gateway = createNgrok({ seed: 'upstreams' })
  const [port] = await serveTraffic(gateway, '127.0.0.1', { traffic: 0, upstreamHosts })
  onTestFinished(() => port?.close())
  const post = async (path: string, body: object) => {
    const response = await gateway.agent.fetch(`http://localhost:4040${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    return (await response.json()) as { public_url?: string; url?: string; uri: string }
  }
  const visit = async (url: string | undefined, path = '/') => {
    const headers = { host: new URL(url ?? '').host }
    const { status, body } = await requestBytes(`http://127.0.0.1:${port?.port}${path}`, { headers })
    return { status, text: String(body) }
  }
  const trace = () => JSON.stringify(gateway.traffic.last()?.trace.at(-1))
  return { gateway, post, visit, trace }
}

// rules: agent#upstreams
test('A tunnel, an endpoint and a tunnel of an edge that the API of the agent starts reach the upstream that they name', async () => {
  const addr = await startApp()
  const { gateway, post, visit } = await openPort()
  const tunnel = await post('/api/tunnels', { addr, name: 'web' })
  expect(await visit(tunnel.public_url, '/a?b')).toEqual({ status: 200, text: 'GET /a?b' })
  const endpoint = await post('/api/endpoints', { upstream: { url: addr }, name: 'api' })
  expect(await visit(endpoint.url, '/c')).toEqual({ status: 200, text: 'GET /c' })

  gateway.reservedDomains.create({ domain: 'app.example.com' })
  const { id: backend_id } = gateway.tunnelGroupBackends.create({ labels: { team: 'web' } })
  const edge = gateway.httpsEdges.create({ hostports: ['app.example.com:443'] })
  gateway.httpsEdgeRoutes.create(edge.id, { match: '/', match_type: 'path_prefix', backend: { backend_id } })
  await post('/api/tunnels', { addr, name: 'labelled', labels: ['team=web'] })
  expect(await visit('https://app.example.com', '/d')).toEqual({ status: 200, text: 'GET /d' })
})

test('A replay and a tunnel of a restored snapshot reach it too, and a restarted agent does', async () => {
  const addr = await startApp()
  const { gateway, post, visit } = await openPort()
  const { public_url } = await post('/api/tunnels', { addr, name: 'web' })
  await visit(public_url)
  const requests = 'http://localhost:4040/api/requests/http'
  const [{ id }] = (await (await gateway.agent.fetch(requests)).json()).requests
  expect((await gateway.agent.fetch(requests, { method: 'POST', body: JSON.stringify({ id }) })).status).toBe(204)
  const [replayed] = (await (await gateway.agent.fetch(requests)).json()).requests
  expect(replayed.response.status_code).toBe(200)
  gateway.restore(gateway.snapshot())
  await gateway.agent.restart()
  expect((await visit(public_url)).status).toBe(200)
})

test.each(['app.localhost', '[::ffff:127.0.0.1]'])('An upstream at %s is on this machine', async (host) => {
  const addr = (await startApp()).replace('127.0.0.1', host)
  const { post, visit } = await openPort()
  const { public_url } = await post('/api/tunnels', { addr, name: 'web' })
  expect(await visit(public_url, '/a')).toEqual({ status: 200, text: 'GET /a' })
})

test('An upstream beyond this machine needs --upstream-host, and the trace says so', async () => {
  const { post, visit, trace } = await openPort()
  const { public_url } = await post('/api/tunnels', { addr: 'http://app.invalid:3000', name: 'web' })
  const { status, text } = await visit(public_url)
  expect([status, text]).toEqual([502, expect.stringContaining('ERR_NGROK_8012')])
  expect(trace()).toContain('http://app.invalid:3000 is not on this machine. Allow it with --upstream-host app.invalid')
})

test('An upstream of a host that --upstream-host names is reached, and what a test set comes first', async () => {
  // This address is not one of the loopback, and leads to it.
  const addr = (await startApp()).replace('127.0.0.1', '0.0.0.0')
  const { gateway, post, visit } = await openPort(['0.0.0.0'])
  const { public_url } = await post('/api/tunnels', { addr, name: 'web' })
  expect(await visit(public_url)).toEqual({ status: 200, text: 'GET /' })
  gateway.traffic.upstream(addr, () => new Response('of the test'))
  expect(await visit(public_url)).toEqual({ status: 200, text: 'of the test' })
})

test('What a test declares is reached only by an upstream that the test names', async () => {
  const forwards_to = await startApp()
  const { gateway, visit, trace } = await openPort()
  gateway.declare.tunnelSession({ endpoints: [{ url: 'https://app.example.com', forwards_to }] })
  expect((await visit('https://app.example.com')).status).toBe(502)
  expect(JSON.parse(trace())).toMatchObject({
    did: expect.stringMatching(/ has no upstream\. Set one with "fauxgate upstream" or --upstream$/),
  })
})

test('A server that is not running is named with the advice to start it', async () => {
  const { post, visit, trace } = await openPort()
  const server = createServer()
  const addr = await listen(server)
  await new Promise((closed) => server.close(closed))
  const { public_url } = await post('/api/tunnels', { addr, name: 'web' })
  expect((await visit(public_url)).status).toBe(502)
  expect(trace()).toContain(`${addr} rejected the connection. Start the server there`)
})

test('Nothing is reached if a gateway has no server', async () => {
  const gateway = createNgrok()
  const { public_url } = await gateway.agent.start({ addr: await startApp() })
  expect((await gateway.traffic.fetch(public_url)).status).toBe(502)
})
