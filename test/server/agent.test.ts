import { request } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { type Served, serve } from '../../src/server/serve.ts'
import { runToEnd, startServer } from '../support/command.ts'
import { openRawConnection } from '../support/wire.ts'

let served: Served | undefined
afterEach(() => served?.close())

async function serveWithAgent() {
  const gateway = createNgrok()
  served = await serve(gateway, { agent: 0 })
  return { gateway, url: `${served.agentUrl}/api/tunnels` }
}

// rules: agent#port
test('a server passes the port of the agent to the agent', async () => {
  const { gateway, url } = await serveWithAgent()
  const response = await fetch(url, { method: 'POST', body: '{"addr":80,"name":"web"}' })
  expect([response.status, (await response.json()).name]).toEqual([201, 'web'])
  expect((await fetch(`${url}/web`, { method: 'DELETE' })).status).toBe(204)
  expect(gateway.endpoints.list().endpoints).toEqual([])
  await served?.close()
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

test('below the URL of the gateway, only the paths of the agent are its own, so that a base URL ending in /api is noticed', async () => {
  const { gateway } = await serveWithAgent()
  const paths = ['/api', '/api/status', '/api/tunnels', '/api/endpoints', '/api/requests/http', '/api/tunnels/web']
  for (const path of paths) await fetch(`${served?.url}${path}`)
  expect(gateway.requests.all()).toEqual([])
  await fetch(`${served?.url}/api/reserved_domains`)
  const problem = '"/reserved_domains" is a path of this API. Remove "/api" in front of it.'
  expect(gateway.requests.all()).toMatchObject([{ status: 404, problem: expect.stringContaining(problem) }])
})

test('its root leads to the page with the traffic', async () => {
  const { url } = await serveWithAgent()
  const response = await fetch(new URL('/', url), { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([302, `${served?.url}/_fauxgate/#traffic`])
})

// wait-on sends HEAD for `http://`, and GET for `http-get://`. It follows redirects, and waits until the status is 2xx.
test.each(
  ['/', '/status', '/api', '/api/tunnels'].flatMap((path) => ['HEAD', 'GET'].map((method) => [method, path] as const)),
)('%s %s, with which wait-on waits for a server, is refused before it is up, and then 200', async (method, path) => {
  const { gateway, url } = await serveWithAgent()
  const visit = () => fetch(new URL(path, url), { method, headers: { accept: 'application/json, text/plain, */*' } })
  gateway.agent.set({ down: true })
  await expect(visit()).rejects.toThrow('fetch failed')
  gateway.agent.set({ down: false })
  const response = await visit()
  const text = await response.text()
  expect([response.status, text === '']).toEqual([200, method === 'HEAD'])
  expect(response.headers.get('content-type')).toContain(path.startsWith('/api') ? 'application/json' : 'text/html')
})

test('it breaks connections while the agent is down', async () => {
  const { gateway, url } = await serveWithAgent()
  gateway.agent.set({ down: true })
  await expect(fetch(url)).rejects.toThrow('fetch failed')
  gateway.agent.set({ down: false })
  expect((await fetch(url)).status).toBe(200)
})

test.each([
  ['localhost:4040', 200],
  ['app.localhost', 403],
  ['127.0.0.1', 200],
  ['[::1]:4040', 200],
  ['evil.example.com', 403],
  ['localhost.example.com', 403],
])('the Host %j gets %d', async (host, status) => {
  const { url } = await serveWithAgent()
  const received = new Promise((resolve, reject) =>
    request(url, { headers: { host } }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end(),
  )
  expect(await received).toBe(status)
})

test.each([
  ['http://localhost:3000', 201],
  ['https://evil.example.com', 403],
  ['http://127.0.0.1.example.com', 403],
  ['null', 403],
])('a page of %s that starts a tunnel gets %d', async (origin, status) => {
  const { url, gateway } = await serveWithAgent()
  const response = await fetch(url, { method: 'POST', body: '{"addr":80}', headers: { origin } })
  expect(response.status).toBe(status)
  expect(gateway.endpoints.list().endpoints).toHaveLength(status === 201 ? 1 : 0)
})

test.each([
  ['TRACE /api', 400],
  ['GET http://localhost/', 302],
  ['GET http://localhost', 302],
  ['GET http://localhost/api/tunnels?a', 200],
  ['GET http://evil.example/api/tunnels', 403],
  ['GET //[', 404],
  ['GET //evil.example/api/tunnels', 404],
  ['DELETE //evil.example/api/tunnels/web', 404],
  ['GET /x\\..\\api/tunnels', 404],
  ['GET /x/../api/tunnels', 404],
  ['DELETE /x/%2e%2e/api/tunnels/web', 404],
  ['GET //', 404],
])(
  'a path is taken as it was sent, and a URL for itself too: %j gets %d (RFC 9112, section 3.2)',
  async (line, status) => {
    const { url, gateway } = await serveWithAgent()
    await gateway.agent.start({ addr: 80, name: 'web' })
    const head = `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
    const raw = await openRawConnection(Number(new URL(url).port), head)
    expect(await raw.ended()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(gateway.endpoints.list().endpoints).toHaveLength(1)
  },
)

test.each([
  [400, 'GET /api/tunnels HTTP/1.1\r\n'],
  [400, 'GET /api/tunnels HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n'],
  [501, 'POST /api/tunnels HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n'],
  [505, 'GET /api/tunnels HTTP/2.0\r\nHost: localhost\r\n'],
])('a request that no server can take gets %d (RFC 9112, sections 2.3, 3.2 and 6.1): %j', async (status, head) => {
  const { url, gateway } = await serveWithAgent()
  const raw = await openRawConnection(Number(new URL(url).port), `${head}\r\n`)
  expect(await raw.ended()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(gateway.endpoints.list().endpoints).toEqual([])
})

test('a port that is taken is named, and the server ends', async () => {
  const { url } = await serveWithAgent()
  const port = Number(new URL(url).port)
  await expect(serve(createNgrok(), { agent: port })).rejects.toThrow(`agent: Port ${port} on 127.0.0.1 is in use.`)
})

test('the command prints where the agent is, also if it is quiet', async () => {
  const server = await startServer({}, '--dialect', 'ngrok', '--agent', '0', '--quiet')
  expect(server.output.stdout).toMatch(/The agent's local API is at http:\/\/127\.0\.0\.1:\d+\/api/)
})

test('the command names the option of a port that is taken', async () => {
  const { url } = await serveWithAgent()
  const { code, stderr } = await runToEnd(
    {},
    'serve',
    '--dialect',
    'ngrok',
    '--port',
    '0',
    '--agent',
    new URL(url).port,
  )
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^fauxgate: --agent: Port \d+ on 127\.0\.0\.1 is in use\./)])
})

test('the command rejects an agent that could start no tunnel', async () => {
  const { code, stderr } = await runToEnd({}, 'serve', '--port', '0', '--agent', '0')
  const message = '--agent needs ngrok\'s families, and the "standard" dialect has no tunnels. Add --dialect ngrok.'
  expect([code, stderr]).toEqual([2, `fauxgate: ${message} See "fauxgate help serve".\n`])
})

// rules: agent#port
test.each([
  ['ngrok:4040', 200],
  ['127.0.0.1', 200],
  ['other:4040', 403],
])('at all addresses, with an allowed host, the Host %j gets %d', async (host, status) => {
  const gateway = createNgrok({ control: { allowHosts: ['ngrok'] } })
  served = await serve(gateway, { agent: '0.0.0.0:0' })
  expect(served.agentUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const { port } = new URL(String(served.agentUrl))
  // This address leads to a server at all addresses, and to none at 127.0.0.1 alone.
  const received = new Promise((resolve, reject) =>
    request(`http://127.0.0.2:${port}/api/tunnels`, { headers: { host } }, (response) =>
      resolve(response.resume().statusCode),
    )
      .on('error', reject)
      .end(),
  )
  expect(await received).toBe(status)
})

test.each([['0.0.0.0:65536'], ['0.0.0.0'], ['http://localhost:4040'], [':4040'], ['a b:1'], ['-1']])(
  'the address %j is rejected, with what is allowed',
  async (agent) => {
    await expect(serve(createNgrok(), { agent })).rejects.toThrow(
      'Allowed: a port from 0 to 65535, or a host and a port, such as "0.0.0.0:4040"',
    )
    const { code, stderr } = await runToEnd({}, 'serve', '--dialect', 'ngrok', `--agent=${agent}`)
    expect([code, stderr]).toEqual([2, expect.stringContaining('--agent')])
  },
)

test('an address that is not one of this machine is named', async () => {
  await expect(serve(createNgrok(), { agent: '192.0.2.1:0' })).rejects.toThrow(
    'The host 192.0.2.1 is not an address of this machine.',
  )
})
