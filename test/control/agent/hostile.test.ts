import { describe, expect, test } from 'vitest'
import { createWithAgent } from './agent.ts'

// rules: agent#definitions
describe('A name', () => {
  test.each(['a/b', 'ü 🦊 ?#%', '__proto__', 'x'.repeat(5000)])('such as %j is found by its own path', async (name) => {
    const { call, names } = createWithAgent()
    const { status, body } = await call('POST', '/api/tunnels', { addr: 80, name })
    expect([status, body.name]).toEqual([201, name])
    expect((await call('GET', body.uri)).body.name).toBe(name)
    expect((await call('DELETE', body.uri.replace('tunnels', 'endpoints'))).status).toBe(204)
    expect(await names()).toEqual([])
  })

  test('with half a character gets another character for it', async () => {
    const { call, gateway } = createWithAgent()
    const { body } = await call('POST', '/api/tunnels', '{"addr":80,"name":"a\\ud800"}')
    expect(body.name).toBe('a\ufffd')
    gateway.declare.tunnelSession({ endpoints: [{ name: '\udc00' }] })
    expect((await call('GET', '/api/tunnels')).body.tunnels).toHaveLength(1)
    expect((await call('POST', '/api/tunnels', '{"addr":80,"name":"a\\ud801"}')).body.error_code).toBe(102)
    expect((await call('DELETE', body.uri)).status).toBe(204)
  })

  test('that is empty is command_line', async () => {
    const { call, names } = createWithAgent()
    expect((await call('POST', '/api/tunnels', { addr: 80, name: '' })).status).toBe(201)
    expect((await call('POST', '/api/endpoints', { upstream: { url: 80 }, name: '' })).status).toBe(400)
    expect(await names()).toEqual(['command_line'])
  })

  test('that is left out is command_line', async () => {
    const { call, names, gateway } = createWithAgent()
    expect((await call('POST', '/api/tunnels', { addr: 80 })).status).toBe(201)
    expect(await names()).toEqual(['command_line'])
    expect((await call('DELETE', '/api/tunnels/command_line')).status).toBe(204)
    expect((await gateway.agent.start({ addr: 80 })).name).toBe('command_line')
  })

  test('starts once, however many start it at the same time', async () => {
    const { call, names } = createWithAgent()
    const start = async () => (await call('POST', '/api/tunnels', { addr: 80, name: 'web' })).status
    const statuses = await Promise.all(Array.from({ length: 8 }, start))
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(await names()).toEqual(['web'])
  })
})

// rules: agent#addresses
test.each([0, -1, 1.5, 65536, '0', 'localhost:0', 'tcp://localhost:0', '\r\n80', 'http://local\thost', '', ' '])(
  'the address %j is rejected',
  async (addr) => {
    const { call } = createWithAgent()
    const { status, body } = await call('POST', '/api/tunnels', { addr, proto: 'http' })
    expect([status, body.error_code, body.details.err]).toEqual([400, 102, expect.stringContaining('addr is')])
    expect((await call('POST', '/api/endpoints', { upstream: { url: addr } })).status).toBe(400)
  },
)

// rules: agent#errors
describe('A body', () => {
  test.each(['', '{', 'null', '1', '"a"', '[]', '['.repeat(400_000), '{"__proto__":{"addr":80}}', '{"addr":null}'])(
    'that begins with %.20s is 400 with 102 for every call that reads it',
    async (sent) => {
      const { call, gateway } = createWithAgent()
      const before = gateway.snapshot()
      for (const [method, path] of [
        ['POST', '/api/tunnels'],
        ['POST', '/api/endpoints'],
        ['PUT', '/api/endpoints/web'],
        ['POST', '/api/requests/http'],
      ] as const) {
        const { status, body } = await call(method, path, sent)
        expect([status, body.error_code]).toEqual([400, 102])
      }
      expect(gateway.snapshot()).toEqual(before)
    },
  )

  test('that is nested deeply is 400, or has no effect in a field without effect', async () => {
    const { call } = createWithAgent()
    const deep = '{"a":'.repeat(100_000) + 1 + '}'.repeat(100_000)
    const post = async (field: string) => (await call('POST', '/api/tunnels', `{"addr":80,"${field}":${deep}}`)).status
    expect([await post('traffic_policy'), await post('oauth')]).toEqual([400, 201])
  })

  test('has no effect where none is needed', async () => {
    const { call } = createWithAgent()
    await call('POST', '/api/tunnels', { addr: 80, name: 'web' })
    expect((await call('DELETE', '/api/tunnels/web', '{')).status).toBe(204)
    expect((await call('DELETE', '/api/requests/http', '[')).status).toBe(204)
  })

  test('with a value that the service does not allow is 502 with its text', async () => {
    const { call } = createWithAgent()
    const { status, body } = await call('POST', '/api/tunnels', { addr: 80, metadata: 'x'.repeat(100_000) })
    expect([status, body.error_code, body.details.err]).toEqual([502, 103, expect.stringContaining('metadata')])
  })
})

test('a method such as "toString" is 405', async () => {
  const { call } = createWithAgent()
  for (const method of ['toString', 'constructor', 'valueOf']) expect((await call(method, '/api')).status).toBe(405)
})

// rules: agent#requests
describe('Captured requests', () => {
  test.each(['-1', 'abc', '', '1e9'])('are all listed with the limit %j', async (limit) => {
    const { call, gateway } = createWithAgent()
    const { public_url } = await gateway.agent.start({ addr: 3000 })
    await gateway.traffic.fetch(public_url)
    expect((await call('GET', `/api/requests/http?limit=${limit}`)).body.requests).toHaveLength(1)
    expect((await call('GET', '/api/requests/http?limit=0')).body.requests).toEqual([])
  })

  test('may have a header that is called __proto__', async () => {
    const { call, gateway } = createWithAgent()
    const { public_url } = await gateway.agent.start({ addr: 3000 })
    await gateway.traffic.fetch(public_url, { headers: new Headers([['__proto__', 'x']]) })
    const [{ request }] = (await call('GET', '/api/requests/http')).body.requests
    expect(Object.entries(request.headers)).toContainEqual(['__proto__', ['x']])
  })

  test.each([
    ['count what their parts take in memory', 1, 0],
    ['count nothing for parts that are not kept', 1024 * 1024, 1],
  ])('%s', async (_name, firstSize, expected) => {
    const { call, gateway } = createWithAgent()
    const { public_url } = await gateway.agent.start({ addr: 3000 })
    gateway.traffic.upstream('http://localhost:3000', async (request) => {
      await request.arrayBuffer()
      return new Response()
    })
    let left = 210_000
    const byte = new Uint8Array(1)
    const start = (stream: ReadableStreamDefaultController) => stream.enqueue(new Uint8Array(firstSize))
    const pull = (stream: ReadableStreamDefaultController) => (left-- > 0 ? stream.enqueue(byte) : stream.close())
    const init = { method: 'POST', body: new ReadableStream({ start, pull }), duplex: 'half' }
    expect((await gateway.traffic.fetch(public_url, init)).status).toBe(200)
    expect((await call('GET', '/api/requests/http')).body.requests).toHaveLength(expected)
    expect((await call('GET', '/api/tunnels/command_line')).body.metrics.http.count).toBe(1)
  })
})
