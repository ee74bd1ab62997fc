import { STATUS_CODES } from 'node:http'
import { expect, test } from 'vitest'
import { SHOWN_START } from '../../support/clock.ts'
import { createWithAgent } from './agent.ts'

async function createVisited() {
  const made = createWithAgent()
  const { gateway } = made
  const { public_url } = await gateway.agent.start({ addr: 3000, name: 'web' })
  const received: string[] = []
  gateway.traffic.upstream('http://localhost:3000', async (request) => {
    received.push(await request.text())
    return new Response('made', { status: 201, headers: { 'content-type': 'text/plain' } })
  })
  const visit = async (path = '/', init: RequestInit = {}) => {
    const response = await gateway.traffic.fetch(public_url + path, init)
    await response.text()
  }
  return { ...made, public_url, received, visit }
}

const decode = (raw: string) => atob(raw).split('\r\n')

// rules: agent#requests
test('a captured request has the fields of the documentation', async () => {
  const { call, visit, public_url } = await createVisited()
  await visit('/hook?a=1', { method: 'POST', body: 'ping', headers: { 'x-github-event': 'push' } })
  const { uri, requests } = (await call('GET', '/api/requests/http')).body
  expect([uri, requests.length]).toEqual(['/api/requests/http', 1])
  const [request] = requests
  expect(request).toEqual({
    uri: `/api/requests/http/${request.id}`,
    id: expect.stringMatching(/^[0-9a-f]{16}$/),
    tunnel_name: 'web',
    remote_addr: '203.0.113.1',
    start: SHOWN_START,
    duration: 0,
    request: {
      method: 'POST',
      proto: 'HTTP/1.1',
      headers: expect.objectContaining({ 'X-Github-Event': ['push'], Host: [new URL(public_url).host] }),
      uri: '/hook?a=1',
      raw: expect.any(String),
    },
    response: {
      status: '201 Created',
      status_code: 201,
      proto: 'HTTP/1.1',
      headers: { 'Content-Type': ['text/plain'] },
      raw: expect.any(String),
    },
  })
  expect(decode(request.request.raw)).toEqual(
    expect.arrayContaining(['POST /hook?a=1 HTTP/1.1', 'X-Github-Event: push', '', 'ping']),
  )
  expect(decode(request.response.raw)).toEqual(['HTTP/1.1 201 Created', 'Content-Type: text/plain', '', 'made'])
  expect((await call('GET', request.uri)).body).toEqual(request)
  expect((await call('GET', '/api/tunnels/web')).body.metrics).toMatchObject({
    conns: { count: 1 },
    http: { count: 1 },
  })
})

test.each([...[200, 201, 202, 204, 301, 302, 304, 307, 400, 401, 403, 404, 405, 409, 422, 429, 500, 502, 503, 504]])(
  'the response %i has the reason that HTTP/1.1 sends with it',
  async (status) => {
    const { gateway, call, visit } = await createVisited()
    gateway.traffic.upstream('http://localhost:3000', () => new Response(null, { status }))
    await visit()
    const [{ response }] = (await call('GET', '/api/requests/http')).body.requests
    expect(response).toMatchObject({ status: `${status} ${STATUS_CODES[status]}`, status_code: status })
    expect(decode(response.raw)[0]).toBe(`HTTP/1.1 ${status} ${STATUS_CODES[status]}`)
  },
)

test('no secret of a request is shown, and a replay has it', async () => {
  const { call, visit, received } = await createVisited()
  await visit('/?token=hidden-1', {
    method: 'POST',
    body: 'key hidden-2',
    headers: { authorization: 'Bearer hidden-2' },
  })
  const { requests } = (await call('GET', '/api/requests/http')).body
  const [{ id, request }] = requests
  expect(JSON.stringify(requests) + atob(request.raw)).not.toContain('hidden')
  expect(await call('POST', '/api/requests/http', { id })).toEqual({ status: 204, body: undefined })
  expect(received).toEqual(['key hidden-2', 'key hidden-2'])
})

test('a replay goes past the policy, and is captured itself', async () => {
  const { gateway, call, visit, received } = await createVisited()
  await visit('/', { method: 'POST', body: 'ping' })
  const { id } = (await call('GET', '/api/requests/http')).body.requests[0]
  await gateway.agent.start({
    addr: 3000,
    name: 'closed',
    traffic_policy: { on_http_request: [{ actions: [{ type: 'deny' }] }] },
  })
  expect((await call('POST', '/api/requests/http', { id, tunnel_name: 'closed' })).status).toBe(204)
  expect(received).toEqual(['ping', 'ping'])
  const names = (await call('GET', '/api/requests/http')).body.requests.map(
    (each: { tunnel_name: string }) => each.tunnel_name,
  )
  expect(names).toEqual(['closed', 'web'])
  expect((await call('GET', '/api/requests/http?tunnel_name=web')).body.requests).toHaveLength(1)
  expect((await call('GET', '/api/requests/http?limit=1')).body.requests).toMatchObject([{ tunnel_name: 'closed' }])
  expect((await call('POST', '/api/requests/http', { id: 'none' })).status).toBe(404)
  expect((await call('POST', '/api/requests/http', { id, tunnel_name: 'none' })).status).toBe(404)
  expect((await call('POST', '/api/requests/http', {})).status).toBe(400)
})

test('a replay reaches the upstream of a URL, and is not captured by a tunnel without inspection', async () => {
  const { gateway, call, visit, received } = await createVisited()
  await visit('/', { method: 'POST', body: 'ping' })
  const { id } = (await call('GET', '/api/requests/http')).body.requests[0]
  const { public_url } = await gateway.agent.start({ addr: 4000, name: 'quiet', inspect: false })
  const replayed: string[] = []
  gateway.traffic.upstream(public_url, async (request) => {
    replayed.push(await request.text())
    return new Response()
  })
  expect((await call('POST', '/api/requests/http', { id, tunnel_name: 'quiet' })).status).toBe(204)
  expect([received, replayed]).toEqual([['ping'], ['ping']])
  expect((await call('GET', '/api/requests/http')).body.requests).toHaveLength(1)
})

test('requests can be deleted, and their number stays in the metrics', async () => {
  const { call, visit } = await createVisited()
  await visit()
  const { id } = (await call('GET', '/api/requests/http')).body.requests[0]
  expect((await call('DELETE', '/api/requests/http')).status).toBe(204)
  expect((await call('GET', '/api/requests/http')).body.requests).toEqual([])
  expect((await call('GET', `/api/requests/http/${id}`)).status).toBe(404)
  expect((await call('GET', '/api/tunnels/web')).body.metrics.http.count).toBe(1)
})

test('what a policy answers never reaches the agent, and an upstream that rejects is 502', async () => {
  const { gateway, call } = createWithAgent()
  const denied = { on_http_request: [{ actions: [{ type: 'deny' }] }] }
  const closed = await gateway.agent.start({ addr: 3000, name: 'closed', traffic_policy: denied })
  const alone = await gateway.agent.start({ addr: 3001, name: 'alone' })
  await gateway.traffic.fetch(closed.public_url)
  await gateway.traffic.fetch(alone.public_url)
  const { requests } = (await call('GET', '/api/requests/http')).body
  expect(requests).toMatchObject([{ tunnel_name: 'alone', response: { status: '502 Bad Gateway', status_code: 502 } }])
})

test('without inspection requests are only counted, also for a declared endpoint', async () => {
  const { gateway, call } = createWithAgent()
  const url = 'https://app.example.com'
  gateway.declare.tunnelSession({ endpoints: [{ url, name: 'web', inspect: false }] })
  await gateway.traffic.fetch(url)
  expect((await call('GET', '/api/requests/http')).body.requests).toEqual([])
  expect((await call('GET', '/api/tunnels/web')).body).toMatchObject({
    config: { inspect: false },
    metrics: { http: { count: 1 } },
  })
})

test('only the beginning of a long body is kept, and all requests have at most 50 MB', async () => {
  const { call, visit, received } = await createVisited()
  const body = 'x'.repeat(2 * 1024 * 1024)
  for (let count = 0; count < 60; count++) await visit('/', { method: 'POST', body })
  expect(received[0]).toHaveLength(body.length)
  const { requests } = (await call('GET', '/api/requests/http')).body
  expect(requests.length).toBeGreaterThan(45)
  expect(requests.length).toBeLessThan(50)
  expect(atob(requests[0].request.raw).length).toBeLessThan(1024 * 1024 + 1000)
})

test('the duration is that on the clock of the gateway, and a request without a response has no response', async () => {
  const { gateway, call } = createWithAgent()
  const { public_url } = await gateway.agent.start({ addr: 3000 })
  let answer = (_: Response) => {}
  const reached = new Promise<void>((resolveReached) => {
    gateway.traffic.upstream('http://localhost:3000', () => {
      resolveReached()
      return new Promise<Response>((resolve) => {
        answer = resolve
      })
    })
  })
  const visiting = gateway.traffic.fetch(public_url)
  await reached
  expect((await call('GET', '/api/requests/http')).body.requests).toMatchObject([{ response: null }])
  gateway.clock.advance('2s')
  answer(new Response('late'))
  await visiting
  expect((await call('GET', '/api/requests/http')).body.requests).toMatchObject([
    { duration: 2_000_000_000, response: { status_code: 200 } },
  ])
})

// rules: agent#replays
test('a request that was not kept as a whole is not replayed, and the response says why', async () => {
  const { call, visit, received, gateway } = await createVisited()
  const replayNewest = async () => {
    const { id } = (await call('GET', '/api/requests/http?limit=1')).body.requests[0]
    const { status, body } = await call('POST', '/api/requests/http', { id })
    return [status, body?.msg, body?.details.err]
  }
  const MIB = 1024 * 1024
  await visit('/', { method: 'POST', body: 'x'.repeat(MIB) })
  expect(await replayNewest()).toEqual([204, undefined, undefined])
  expect(received.map(({ length }) => length)).toEqual([MIB, MIB])
  await visit('/', { method: 'POST', body: 'x'.repeat(MIB + 1) })
  const msg = 'request cannot be replayed'
  expect(await replayNewest()).toEqual([400, msg, 'Only the first 1048576 bytes of its body were kept.'])
  gateway.traffic.upstream('http://localhost:3000', () => new Response('early'))
  const stream = new ReadableStream(
    { pull: (controller) => controller.enqueue(Buffer.from('x')) },
    { highWaterMark: 0 },
  )
  // The types of Node lack `duplex`.
  await visit('/', { method: 'POST', body: stream, duplex: 'half', headers: { 'content-length': '9' } } as RequestInit)
  expect(await replayNewest()).toEqual([400, msg, 'Only 0 of the 9 bytes of its body have arrived.'])
  const withoutEnd = { method: 'POST', body: stream, duplex: 'half' } as RequestInit
  await visit('/', { ...withoutEnd, body: new ReadableStream({ pull: (each) => each.enqueue(Buffer.from('x')) }) })
  expect(await replayNewest()).toEqual([400, msg, 'The end of its body has not arrived.'])
  gateway.traffic.upstream('http://localhost:3000', async (request) => {
    received.push(await request.text().catch(() => 'broken off'))
    return new Response()
  })
  const partsThen = (finish: (each: ReadableStreamDefaultController) => void) => {
    const parts = ['a', 'b']
    return new ReadableStream({
      pull(each) {
        const part = parts.shift()
        if (part) each.enqueue(Buffer.from(part))
        else finish(each)
      },
    })
  }
  await visit('/', { ...withoutEnd, body: partsThen((each) => each.error(new Error('left'))) })
  expect(await replayNewest()).toEqual([400, msg, 'The end of its body has not arrived.'])
  await visit('/', { ...withoutEnd, body: partsThen((each) => each.close()) })
  expect(await replayNewest()).toEqual([204, undefined, undefined])
  expect(received.slice(3)).toEqual(['broken off', 'ab', 'ab'])
  await visit('/', { headers: { connection: 'Upgrade', upgrade: 'websocket' } })
  expect(await replayNewest()).toEqual([400, msg, expect.stringContaining('switch protocols')])
})

test('a list without a limit has the newest 50 requests', async () => {
  const { call, visit } = await createVisited()
  for (let count = 0; count < 60; count++) await visit(`/${count}`)
  const pathsOf = async (query: string): Promise<string[]> =>
    (await call('GET', `/api/requests/http${query}`)).body.requests.map(
      ({ request }: { request: { uri: string } }) => request.uri,
    )
  expect(await pathsOf('')).toEqual(Array.from({ length: 50 }, (_, at) => `/${59 - at}`))
  expect(await pathsOf('?limit=many')).toHaveLength(50)
  expect(await pathsOf('?limit=55')).toHaveLength(55)
  expect(await pathsOf('?limit=100')).toHaveLength(60)
})

test.each([
  ['a stream of events', { 'content-type': 'text/event-stream' }, 'data: 1\n\n'],
  ['a response without an end', {}, new Uint8Array(1024 * 1024)],
  ['a response that breaks off', {}, undefined],
])('a replay does not wait for the end of %s', async (_, headers, part) => {
  const { call, visit, gateway } = await createVisited()
  await visit()
  const { id } = (await call('GET', '/api/requests/http')).body.requests[0]
  let isEnded = part === undefined
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (part === undefined) controller.error(new Error('reset'))
    else controller.enqueue(typeof part === 'string' ? Buffer.from(part) : part)
  }
  const cancel = () => {
    isEnded = true
  }
  const createStream = () => new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
  gateway.traffic.upstream('http://localhost:3000', () => new Response(createStream(), { headers }))
  expect((await call('POST', '/api/requests/http', { id })).status).toBe(204)
  expect(isEnded).toBe(true)
})
